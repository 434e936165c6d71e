import type { SandboxOptions } from '../src/service';
import { startSandbox } from './sandbox-client';

type Json = Record<string, unknown>;

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
  readonly userId: string;
  readonly workspaceRef: string;
}

/** A sandbox with one Salesforce org. */
export async function startOrg(options: Partial<SandboxOptions> = {}, account: Json = {}) {
  const sandbox = await startSandbox(options);
  const { send } = sandbox;
  const opened = await send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'salesforce', ...account });
  const org: OpenedOrg = opened.body;
  const bearer = { authorization: `Bearer ${org.token}` };
  /** A call under the API base, of the org. */
  const call = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    send(method, api + path, body, { ...bearer, ...headers });
  return {
    ...sandbox,
    org,
    call,
    create: async (object: string, fields: Json): Promise<string> => {
      const { status, body } = await call('POST', `/sobjects/${object}`, fields);
      if (status !== 201) throw new Error(JSON.stringify(body));
      return body.id;
    },
    query: (soql: string) => call('GET', `/query?q=${encodeURIComponent(soql)}`),
    records: async (object: string): Promise<{ id: string; fields: Json }[]> =>
      (await send('GET', `/_sandbox/records?account=acme&object=${object}`)).body,
    control: (path: string) => send('POST', `/_sandbox/accounts/acme/${path}`),
    token: (form: Record<string, string>) =>
      send('POST', '/services/oauth2/token', new URLSearchParams(form).toString(), {
        'content-type': 'application/x-www-form-urlencoded',
      }),
  };
}

export type OrgClient = Awaited<ReturnType<typeof startOrg>>;
