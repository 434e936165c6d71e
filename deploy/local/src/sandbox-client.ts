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
}

/** The imitated CRM, asked without Sluice in between. */
export interface SandboxClient {
  /** Every call of the account that arrived at this moment or later. */
  ledgerSince(moment: Date): Promise<readonly LedgerEntry[]>;
  /** A request to the provider as the customer's own programs would send it. */
  request<T>(method: JsonRequest['method'], path: string, body?: unknown): Promise<Reply<T>>;
}

/** The accounts that play the customer's CRMs. */
const accounts = [
  { name: 'demo', provider: 'hubspot' },
  { name: 'demo-salesforce', provider: 'salesforce' },
];

/** Opens the CRMs of the demo, which keep their tokens and records when they are there already. */
export function openSandboxAccounts(sandboxUrl: string): Promise<SandboxAccount[]> {
  const url = `${sandboxUrl}/_sandbox/accounts`;
  const open = async (body: object) =>
    bodyOf(await requestJson<SandboxAccount>({ method: 'POST', url, body }), 201, 'opening a sandbox account');
  return Promise.all(accounts.map(open));
}

export function createSandboxClient(
  sandboxUrl: string,
  { account, token }: SandboxAccount,
  signal?: AbortSignal,
): SandboxClient {
  const headers = { authorization: `Bearer ${token}` };
  return {
    ledgerSince: async (moment) => {
      const query = new URLSearchParams({ account, since: moment.toISOString() });
      const url = `${sandboxUrl}/_sandbox/ledger?${query.toString()}`;
      return bodyOf(await requestJson<LedgerEntry[]>({ method: 'GET', url, signal }), 200, "the sandbox's ledger");
    },
    request: (method, path, body) => requestJson({ method, url: `${sandboxUrl}${path}`, headers, body, signal }),
  };
}

interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Longer than any reply of ours: a provider call has 30 s. */
const timeoutMs = 45_000;

/** @throws DependencyError when nobody answers */
async function requestJson<T>(request: JsonRequest): Promise<Reply<T>> {
  const { method, url, headers, body, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const begunAt = performance.now();
  try {
    const reply = await fetch(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await reply.text();
    const tookMs = performance.now() - begunAt;
    return { status: reply.status, headers: reply.headers, body: parse(text) as T, tookMs };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const detail = `${method} ${url} was not answered: ${reasonOf(cause)}`;
    throw unavailable(detail, { cause });
  }
}

/**
 * The body of a reply with this status.
 * @throws DependencyError that shows what came instead
 */
function bodyOf<T>(reply: Reply<T>, status: number, what: string): T {
  if (reply.status === status) return reply.body;
  throw unavailable(`${what} was answered with ${reply.status}: ${describeBody(reply.body)}`);
}

/** The sentence in a problem document or an error body, else the body itself, shortened. */
export function describeBody(body: unknown): string {
  const { detail, errors } = (body ?? {}) as { detail?: string; errors?: { message?: string }[] };
  return detail ?? errors?.[0]?.message ?? JSON.stringify(body)?.slice(0, 300) ?? 'without a body';
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message of fetch is "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message = 'no reason is given', cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? cause.message : message;
}
