import { connect } from 'node:net';
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

/** A sandbox on a free port, spoken to over real HTTP. */
export async function startSandbox(options: Partial<SandboxOptions> = {}) {
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
  return {
    ...sandbox,
    send,
    fault: (request: FaultRequest) => send('POST', '/_sandbox/faults', request),
    ledger: async (query = ''): Promise<LedgerEntry[]> => (await send('GET', `/_sandbox/ledger${query}`)).body,
    /** Waits until so many calls of the only account are under way. */
    inFlight: (count: number) =>
      eventually(async () => {
        const [shown] = (await send('GET', '/_sandbox/accounts')).body as { readonly inFlight: number }[];
        return shown?.inFlight === count ? true : undefined;
      }),
    reset: () => send('DELETE', '/_sandbox/state'),
  };
}

/** A sandbox with one HubSpot account. */
export async function startClient(options: Partial<SandboxOptions> = {}, account: Json = {}) {
  const sandbox = await startSandbox(options);
  const { send } = sandbox;
  const opened = await send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', ...account });
  const { token, portalId } = opened.body as { token: string; portalId: number };
  const authorization = { authorization: `Bearer ${token}` };
  return {
    ...sandbox,
    token,
    portalId,
    /** A HubSpot call of the account. */
    call: (method: string, path: string, body?: unknown) => send(method, path, body, authorization),
    create: async (properties: Json): Promise<string> =>
      (await send('POST', contacts, { properties }, authorization)).body.id,
    search: (body: unknown) => send('POST', `${contacts}/search`, body, authorization),
    records: async (): Promise<Json[]> => (await send('GET', '/_sandbox/records?account=acme')).body,
  };
}

export type Client = Awaited<ReturnType<typeof startClient>>;

/** Sends a create over a bare socket. @returns what arrived, and how the connection ended */
export function rawCreate(client: Client): Promise<{ text: string; ending: string }> {
  const body = JSON.stringify({ properties: { firstname: 'Ana' } });
  const head = [
    `POST ${contacts} HTTP/1.1`,
    'host: sandbox',
    `authorization: Bearer ${client.token}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  return new Promise((resolve) => {
    let text = '';
    let ending = 'end';
    const socket = connect(client.port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', (error: NodeJS.ErrnoException) => (ending = error.code ?? 'error'));
    socket.on('close', () => resolve({ text, ending }));
  });
}

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
