import { until } from '@sluice/testkit';
import type { ConnectSession, ConnectView, Connection, Installation } from '@sluice/types';
import { useManagement, type ProjectWithKey, type Sender } from './start-management';

const property = (name: string) => ({ name, label: name.toUpperCase(), type: 'string', fieldType: 'text' });
export const token = 'connect-access';
const portal = {
  portalId: 4711,
  objects: { contacts: [property('email'), property('jobtitle'), property('phone')] },
};
const optional = { objectName: 'contacts', requiredFields: [{ fieldName: 'email' }] };
/** By what each leaves to the customer. */
const manifests = {
  nothing: { objectName: 'contacts' },
  optional: { ...optional, optionalFields: [{ fieldName: 'phone' }] },
  required: {
    ...optional,
    requiredFields: [{ mapToName: 'position', prompt: 'Which field has the position?', default: 'jobtitle' }],
    optionalFields: [{ fieldName: 'phone' }],
  },
  all: {
    ...optional,
    optionalFields: [{ fieldName: 'phone', mapToDisplayName: 'Telephone' }],
    optionalFieldsAuto: 'all',
  },
} as const;
type Leaves = keyof typeof manifests;

type ConnectFixture = ReturnType<typeof useConnect>;

/** A project with an integration for each of the manifests, an app at HubSpot, and an account there. */
export function useConnect() {
  const management = useManagement();
  const its = {} as { project: ProjectWithKey; send: Sender; base: string };
  beforeAll(() => {
    management.hubspot.outcomes.set(token, portal);
    management.hubspot.outcomes.set('connect-other', { ...portal, portalId: 8 });
  });
  beforeEach(async () => {
    its.project = await management.newProject();
    its.send = management.as(its.project.key);
    its.base = `/v1/projects/${its.project.id}`;
    give(token, 4711);
    const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'canary-secret', scopes: ['oauth'] };
    await its.send.post(`${its.base}/provider-apps`).send(app).expect(200);
    for (const [name, object] of Object.entries(manifests)) {
      const content = {
        name,
        provider: 'hubspot',
        read: { objects: [object] },
        write: { objects: [{ objectName: 'contacts' }] },
      };
      const latestRevision = { specVersion: '1.0.0', content };
      await its.send.post(`${its.base}/integrations`).send({ name, provider: 'hubspot', latestRevision }).expect(201);
    }
  });

  const tokensOf = (accessToken: string, portalId: number) => {
    const body = { access_token: accessToken, refresh_token: 'canary-refresh', expires_in: 1800, hub_id: portalId };
    return { status: 200, body };
  };

  /** What the token endpoint gives next. */
  function give(accessToken: string, portalId: number): void {
    management.hubspot.tokenEndpoint.replies.set('authorization_code', tokensOf(accessToken, portalId));
  }

  /** Codes of two accounts, whose exchanges are answered when both are under way. */
  function giveAtOnce(): readonly [{ code: string }, { code: string }] {
    const { tokenEndpoint } = management.hubspot;
    const before = tokenEndpoint.asked.length;
    tokenEndpoint.ofCodes.set('code-own', tokensOf(token, 4711)).set('code-other', tokensOf('connect-other', 8));
    tokenEndpoint.gate = until(
      'both codes are exchanged',
      () => tokenEndpoint.asked.length === before + 2 || undefined,
    );
    return [{ code: 'code-own' }, { code: 'code-other' }];
  }

  /** What of the account is used, and what of the group's connections nothing uses. */
  const leftOver = async (): Promise<string[]> => {
    const used = new Set((await installations()).map(({ connection }) => connection.id));
    return (await connections()).map(({ id }) => id).filter((id) => !used.has(id));
  };

  const order = (integration: Leaves) => ({ groupRef: 'acme', groupName: 'Acme', consumerRef: 'ann', integration });
  const create = async (integration: Leaves = 'nothing', more: object = {}) => {
    const sent = its.send.post(`${its.base}/connect-sessions`).send({ ...order(integration), ...more });
    return (await sent.expect(201)).body as ConnectSession;
  };

  const open = (secret: string): Browser => new Browser({ management, its }, secret);
  const browse = async (integration?: Leaves) => open((await create(integration)).token);
  const installations = async () =>
    (await its.send.get(`${its.base}/installations`).expect(200)).body as Installation[];
  const connections = async () => (await its.send.get(`${its.base}/connections`).expect(200)).body as Connection[];
  const sessions = () => management.database('connect_sessions').where({ project_id: its.project.id });
  const expire = () => sessions().update({ expires_at: management.database.raw('now()') });
  return {
    management,
    its,
    give,
    giveAtOnce,
    leftOver,
    order,
    create,
    open,
    browse,
    installations,
    connections,
    sessions,
    expire,
  };
}

/** One browser of a customer, with its cookies. */
export class Browser {
  private readonly jar = new Map<string, string>();
  constructor(
    private readonly fixture: Pick<ConnectFixture, 'management' | 'its'>,
    private readonly secret: string,
  ) {}

  private get cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private send(method: 'get' | 'post', path: string, body?: object) {
    const sender = this.fixture.management.as();
    const test = sender[method](`${this.fixture.its.base}/connect-session${path}`).set(
      'Authorization',
      `Bearer ${this.secret}`,
    );
    if (this.jar.size > 0) void test.set('Cookie', this.cookies);
    return body === undefined ? test : test.send(body);
  }

  /** Loads the page. */
  async load(): Promise<ConnectView> {
    const reply = await this.send('get', '').expect(200);
    for (const cookie of (reply.headers['set-cookie'] as unknown as string[] | undefined) ?? []) {
      const [pair = ''] = cookie.split(';');
      this.jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return reply.body as ConnectView;
  }

  submit(path: string, body: object = path === '/choices' ? { content: {} } : {}) {
    return this.send('post', path, body);
  }

  choices() {
    return this.send('get', '/choices');
  }

  /** The address that the provider sends the browser back to. */
  async allow(more: Record<string, string> = { code: 'code-1' }): Promise<string> {
    const { url } = (await this.submit('/authorization').expect(200)).body as { url: string };
    const state = new URL(url).searchParams.get('state') ?? '';
    return `/callbacks/v1/oauth?${new URLSearchParams({ state, ...more })}`;
  }

  back(path: string) {
    const test = this.fixture.management.as().get(path);
    return this.jar.size > 0 ? test.set('Cookie', this.cookies) : test;
  }

  /** With a page that was loaded before. */
  async connect(): Promise<ConnectView> {
    await this.load();
    await this.back(await this.allow()).expect(303);
    return await this.load();
  }
}

export const position = (field: string) => ({
  content: { read: { objects: { contacts: { selectedFieldMappings: { position: field } } } } },
});
export const codeOf = (body: unknown) => (body as { code?: string }).code;
