import type { Reply } from '@sluice/client';
import type { LedgerEntry } from '@sluice/sandbox';
import { unavailable } from '@sluice/stack';

export interface SandboxAccount {
  readonly account: string;
  readonly provider: string;
  /** Secret of the account: what a customer would give us. */
  readonly token: string;
  /** The account as the provider calls it: HubSpot's portal, Salesforce's My Domain. */
  readonly workspaceRef: string;
  /** The OAuth app that its customers allow in. */
  readonly clientId: string;
  /** Secret of the app. */
  readonly clientSecret: string;
}

/** What came back, whatever its status. */
type SandboxReply<T> = Pick<Reply<T>, 'status' | 'body' | 'tookMs'>;

/** The imitated CRM, asked without Sluice in between. */
export interface SandboxClient {
  /** Every call of the account that arrived at this moment or later. */
  ledgerSince(moment: Date): Promise<readonly LedgerEntry[]>;
  /** A request to the provider as the customer's own programs would send it. */
  request<T>(method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown): Promise<SandboxReply<T>>;
}

/** The accounts that play the customer's CRMs. */
const accounts = [
  { name: 'demo', provider: 'hubspot' },
  { name: 'demo-salesforce', provider: 'salesforce' },
];

/** Opens the CRMs of the demo, which keep their tokens and records when they are there already. */
export function openSandboxAccounts(sandboxUrl: string): Promise<SandboxAccount[]> {
  const url = `${sandboxUrl}/_sandbox/accounts`;
  return Promise.all(
    accounts.map(async (body) => {
      const reply = await send<SandboxAccount>('POST', url, { body });
      if (reply.status === 201) return reply.body;
      throw unavailable(`The sandbox opens no account: ${reply.status} ${describeBody(reply.body)}`);
    }),
  );
}

export function createSandboxClient(
  sandboxUrl: string,
  { account, token }: SandboxAccount,
  signal: AbortSignal,
): SandboxClient {
  return {
    ledgerSince: async (moment) => {
      const query = new URLSearchParams({ account, since: moment.toISOString() });
      const url = `${sandboxUrl}/_sandbox/ledger?${query.toString()}`;
      return (await send<LedgerEntry[]>('GET', url, { signal })).body;
    },
    request: (method, path, body) => send(method, `${sandboxUrl}${path}`, { body, signal, token }),
  };
}

interface SendOptions {
  readonly body?: unknown;
  readonly token?: string;
  readonly signal?: AbortSignal;
}

/** Longer than any reply of the sandbox: a provider call has 30 s. */
const timeoutMs = 45_000;

/** @throws DependencyError when there is no reply, or it is no JSON */
async function send<T>(method: string, url: string, options: SendOptions): Promise<SandboxReply<T>> {
  const { body, token, signal } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const begunAt = performance.now();
  try {
    const reply = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const answer = (await reply.json()) as T;
    return { status: reply.status, body: answer, tookMs: performance.now() - begunAt };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    // The message of fetch is "fetch failed"; the reason is in its cause.
    const { message, cause: reason } = cause as Error & { cause?: Error };
    throw unavailable(`${method} ${url} was not answered: ${reason?.message ?? message}`, { cause });
  }
}

/** The sentence in a problem document or an error body, else the body itself, shortened. */
export function describeBody(body: unknown): string {
  const { detail, errors } = (body ?? {}) as { detail?: string; errors?: { message?: string }[] };
  return detail ?? errors?.[0]?.message ?? JSON.stringify(body)?.slice(0, 300) ?? 'without a body';
}
