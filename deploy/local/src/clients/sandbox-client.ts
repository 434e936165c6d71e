import type { LedgerEntry } from '@sluice/sandbox';
import { bodyOf, requestJson, type JsonRequest, type Reply } from './request-json';

/** A contact as HubSpot shows it: every value a string, null for what is not set. */
export interface CrmContact {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

export interface SandboxAccount {
  readonly account: string;
  readonly provider: string;
  /** Secret of the account: what a customer would give us. */
  readonly token: string;
  /** The account as the provider calls it: HubSpot's portal, Salesforce's My Domain. */
  readonly workspaceRef: string;
}

/** The imitated CRM, asked directly: what the tour believes about it never comes from Sluice. */
export interface SandboxClient {
  /** Every call of the account that arrived at this moment or later. */
  ledgerSince(moment: Date): Promise<readonly LedgerEntry[]>;
  /** By id, with these properties. Contacts that are not there are left out. */
  readContacts(ids: readonly string[], properties: readonly string[]): Promise<readonly CrmContact[]>;
  /** A request to the provider as the customer's own programs would send it. */
  request<T>(method: JsonRequest['method'], path: string, body?: unknown): Promise<Reply<T>>;
  /** Without Sluice in between: for comparing durations. */
  createContact(properties: Readonly<Record<string, string>>): Promise<Reply<CrmContact>>;
}

const contactsPath = '/crm/v3/objects/contacts';
/** Contacts of one batch read at most. Source: HubSpot, limits of batch endpoints. */
const batchMax = 100;

/** Opens the account, which keeps its token and contacts when it is there already. */
export async function openSandboxAccount(
  sandboxUrl: string,
  { name, provider }: { readonly name: string; readonly provider: string },
): Promise<SandboxAccount> {
  const body = { name, provider };
  const url = `${sandboxUrl}/_sandbox/accounts`;
  return bodyOf(await requestJson<SandboxAccount>({ method: 'POST', url, body }), 201, 'opening a sandbox account');
}

export function createSandboxClient(
  sandboxUrl: string,
  { account, token }: SandboxAccount,
  signal?: AbortSignal,
): SandboxClient {
  const headers = { authorization: `Bearer ${token}` };
  const request = <T>(method: JsonRequest['method'], path: string, body?: unknown) =>
    requestJson<T>({ method, url: `${sandboxUrl}${path}`, headers, body, signal });
  const post = <T>(path: string, body: unknown) => request<T>('POST', path, body);
  const readSome = async (ids: readonly string[], properties: readonly string[]) => {
    const body = { inputs: ids.map((id) => ({ id })), properties };
    const reply = await post<{ results: CrmContact[] }>(`${contactsPath}/batch/read`, body);
    // 207 names ids that are not there, which the caller notices by itself.
    return bodyOf(reply, reply.status === 207 ? 207 : 200, 'reading contacts from the sandbox').results;
  };
  return {
    ledgerSince: async (moment) => {
      const query = new URLSearchParams({ account, since: moment.toISOString() });
      const url = `${sandboxUrl}/_sandbox/ledger?${query.toString()}`;
      return bodyOf(await requestJson<LedgerEntry[]>({ method: 'GET', url, signal }), 200, "the sandbox's ledger");
    },
    readContacts: async (ids, properties) => {
      const contacts: CrmContact[] = [];
      for (let at = 0; at < ids.length; at += batchMax) {
        contacts.push(...(await readSome(ids.slice(at, at + batchMax), properties)));
      }
      return contacts;
    },
    request,
    createContact: (properties) => post(contactsPath, { properties }),
  };
}
