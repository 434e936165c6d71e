import { createSandbox, type FaultRequest, type LedgerEntry, type SandboxOptions } from '../src/service';
import { eventually } from './sandbox-client';

type Json = Record<string, unknown>;

/** What came back; `body` is parsed when it is JSON, else text. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // A wire body has no static type; the tests compare it member by member.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

/** Base path of the API version that the tests speak. */
export const api = '/services/data/v60.0';

/** An account as the control API opens it. */
export interface OpenedOrg {
  readonly account: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly orgId: string;
  readonly workspaceRef: string;
}

/** A sandbox on a free port with one Salesforce org, spoken to over real HTTP. */
export async function startOrg(options: Partial<SandboxOptions> = {}, account: Json = {}) {
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
  const opened = await send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'salesforce', ...account });
  const org: OpenedOrg = opened.body;
  const bearer = { authorization: `Bearer ${org.token}` };
  /** A call under the API base, of the org. */
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, api + path, body, { ...bearer, ...headers });
  return {
    ...sandbox,
    org,
    send,
    call,
    create: async (object: string, fields: Json): Promise<string> => {
      const { status, body } = await call('POST', `/sobjects/${object}`, fields);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
    query: (soql: string, headers: Record<string, string> = {}) =>
      call('GET', `/query?q=${encodeURIComponent(soql)}`, undefined, headers),
    fault: (request: FaultRequest) => send('POST', '/_sandbox/faults', request),
    ledger: async (query = ''): Promise<LedgerEntry[]> => (await send('GET', `/_sandbox/ledger${query}`)).body,
    records: async (object: string): Promise<{ id: string; fields: Json }[]> =>
      (await send('GET', `/_sandbox/records?account=acme&object=${object}`)).body,
    /** Waits until so many calls of the org are under way. */
    inFlight: (count: number) =>
      eventually(async () => {
        const [shown] = (await send('GET', '/_sandbox/accounts')).body as { readonly inFlight: number }[];
        return shown?.inFlight === count ? true : undefined;
      }),
    control: (path: string) => send('POST', `/_sandbox/accounts/acme/${path}`),
    token: (form: Record<string, string>) =>
      send('POST', '/services/oauth2/token', new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      }),
    reset: () => send('DELETE', '/_sandbox/state'),
  };
}

export type OrgClient = Awaited<ReturnType<typeof startOrg>>;
