import { createSandbox, type FaultRequest, type LedgerEntry, type SandboxOptions } from '../src/service';

type Json = Record<string, unknown>;

/** What came back; `body` is parsed when it is JSON, else text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A wire body has no static type; the tests compare it member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** A record as HubSpot shows it. */
export interface WireRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
}

export const contacts = '/crm/v3/objects/contacts';

/** A sandbox on a free port with one account, spoken to over real HTTP. */
export async function startClient(options: Partial<SandboxOptions> = {}, account: Json = {}) {
  const sandbox = await createSandbox({ port: 0, host: '127.0.0.1', ...options });
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const request = { method, headers: { ...type, ...headers }, ...(body === undefined ? {} : { body: text }) };
    const reply = await fetch(`${sandbox.url}${path}`, request);
    const payload = await reply.text();
    const isJson = (reply.headers.get('content-type') ?? '').includes('json');
    return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(payload) : payload };
  };
  const opened = await send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', ...account });
  const { token, portalId } = opened.body as { token: string; portalId: number };
  const authorization = { authorization: `Bearer ${token}` };
  return {
    ...sandbox,
    token,
    portalId,
    send,
    /** A HubSpot call of the account. */
    call: (method: string, path: string, body?: unknown) => send(method, path, body, authorization),
    create: async (properties: Json): Promise<string> =>
      (await send('POST', contacts, { properties }, authorization)).body.id,
    search: (body: unknown) => send('POST', `${contacts}/search`, body, authorization),
    fault: (request: FaultRequest) => send('POST', '/_sandbox/faults', request),
    ledger: async (query = ''): Promise<LedgerEntry[]> => (await send('GET', `/_sandbox/ledger${query}`)).body,
    records: async (): Promise<Json[]> => (await send('GET', '/_sandbox/records?account=acme')).body,
    reset: () => send('DELETE', '/_sandbox/state'),
  };
}

export type Client = Awaited<ReturnType<typeof startClient>>;

/** Longest wait for a condition, in milliseconds: it ends what hangs. */
const boundMs = 60_000;

/** Waits until `check` gives something. */
export async function eventually<T>(check: () => Promise<T | undefined>): Promise<T> {
  const deadlineMs = performance.now() + boundMs;
  for (;;) {
    const found = await check();
    if (found !== undefined) return found;
    if (performance.now() > deadlineMs) throw new Error(`the condition did not come true within ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
