import { until } from '@sluice/testkit';
import type { ConnectSession, ConnectView, Connection, Installation } from '@sluice/types';
import { useManagement, type ProjectWithKey, type Sender } from './start-management';

const management = useManagement();
const property = (name: string) => ({ name, label: name.toUpperCase(), type: 'string', fieldType: 'text' });
const token = 'connect-access';
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
} as const;
type Leaves = keyof typeof manifests;

let project: ProjectWithKey;
let send: Sender;
let base: string;

beforeAll(() => {
  management.hubspot.outcomes.set(token, portal);
  management.hubspot.outcomes.set('connect-other', { ...portal, portalId: 8 });
});
beforeEach(async () => {
  project = await management.newProject();
  send = management.as(project.key);
  base = `/v1/projects/${project.id}`;
  give(token, 4711);
  const app = { provider: 'hubspot', clientId: 'client', clientSecret: 'canary-secret', scopes: ['oauth'] };
  await send.post(`${base}/provider-apps`).send(app).expect(200);
  for (const [name, object] of Object.entries(manifests)) {
    const content = {
      name,
      provider: 'hubspot',
      read: { objects: [object] },
      write: { objects: [{ objectName: 'contacts' }] },
    };
    const latestRevision = { specVersion: '1.0.0', content };
    await send.post(`${base}/integrations`).send({ name, provider: 'hubspot', latestRevision }).expect(201);
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
  tokenEndpoint.gate = until('both codes are exchanged', () => tokenEndpoint.asked.length === before + 2);
  return [{ code: 'code-own' }, { code: 'code-other' }];
}

/** What of the account is used, and what of the group's connections nothing uses. */
const leftOver = async (): Promise<string[]> => {
  const used = new Set((await installations()).map(({ connection }) => connection.id));
  return (await connections()).map(({ id }) => id).filter((id) => !used.has(id));
};

const order = (integration: Leaves) => ({ groupRef: 'acme', groupName: 'Acme', consumerRef: 'ann', integration });
const create = async (integration: Leaves = 'nothing', more: object = {}) => {
  const sent = send.post(`${base}/connect-sessions`).send({ ...order(integration), ...more });
  return (await sent.expect(201)).body as ConnectSession;
};

/** One browser of a customer, with its cookies. */
class Browser {
  private readonly jar = new Map<string, string>();
  constructor(private readonly secret: string) {}

  private get cookies(): string {
    return [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  private send(method: 'get' | 'post', path: string, body?: object) {
    const sender = management.as();
    const test = sender[method](`${base}/connect-session${path}`).set('Authorization', `Bearer ${this.secret}`);
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
    const test = management.as().get(path);
    return this.jar.size > 0 ? test.set('Cookie', this.cookies) : test;
  }

  /** With a page that was loaded before. */
  async connect(): Promise<ConnectView> {
    await this.load();
    await this.back(await this.allow()).expect(303);
    return await this.load();
  }
}

const browse = async (integration?: Leaves) => new Browser((await create(integration)).token);
const installations = async () => (await send.get(`${base}/installations`).expect(200)).body as Installation[];
const connections = async () => (await send.get(`${base}/connections`).expect(200)).body as Connection[];
const sessions = () => management.database('connect_sessions').where({ project_id: project.id });
const expire = () => sessions().update({ expires_at: management.database.raw('now()') });
const position = (field: string) => ({
  content: { read: { objects: { contacts: { selectedFieldMappings: { position: field } } } } },
});
const codeOf = (body: unknown) => (body as { code?: string }).code;

describe('[sec-52] POST P/connect-sessions', () => {
  it('answers a link whose token stands in the fragment, and keeps only its hash', async () => {
    const { url, token: secret, expireTime } = await create();
    expect(url).toBe(`https://sluice.example/connect#${secret}`);
    expect(secret).toMatch(new RegExp(`^${project.id}\\.[\\w-]{43}$`));
    const leftMs = Date.parse(expireTime) - Date.now();
    expect(leftMs).toBeGreaterThan(1_740_000);
    expect(leftMs).toBeLessThan(1_860_000);
    const [row] = await sessions().select<object[]>('*');
    expect(JSON.stringify(row)).not.toContain(secret.split('.')[1]);
  });

  it.each([
    ['full', 201],
    ['write', 201],
    ['frontend', 403],
    ['read', 403],
    ['search', 403],
  ])('by a key of scope %s: %i', async (scope, status) => {
    const key = await management.newKey(project.id, [scope]);
    await management.as(key).post(`${base}/connect-sessions`).send(order('nothing')).expect(status);
  });

  it('leads back to an origin that the project lists, and names the list otherwise', async () => {
    const returnTo = (returnUrl: string, status: number) =>
      send
        .post(`${base}/connect-sessions`)
        .send({ ...order('nothing'), returnUrl })
        .expect(status);
    expect((await returnTo('https://app.example/back', 422)).body).toMatchObject({
      code: 'connect-session.invalid',
      issues: [{ name: 'returnUrl', detail: expect.stringContaining('it lists none') }],
    });
    const origins = ['https://app.example', 'https://b.example:8443'];
    const change = (connectOrigins: string[]) =>
      send.patch(base).send({ updateMask: ['connectOrigins'], project: { connectOrigins } });
    expect((await change(origins).expect(200)).body).toMatchObject({ connectOrigins: origins });
    await returnTo('https://app.example/back?at=1', 201);
    // Loopback is for a service that is on loopback itself.
    for (const other of [
      'https://app.example.evil.example/',
      'http://app.example/',
      'https://app.example:444/',
      'https://app.example@evil.example/',
      'https://user@app.example/',
      'javascript:alert(1)',
      'blob:https://app.example/a',
      'http://localhost:3000/',
    ]) {
      const { body } = await returnTo(other, 422);
      expect(body).toMatchObject({
        issues: [{ name: 'returnUrl', detail: expect.stringContaining(origins.join(', ')) }],
      });
    }
    for (const bad of ['https://app.example/', 'http://app.example', 'app.example', 'https://APP.example'])
      expect((await change([bad]).expect(400)).body).toMatchObject({ issues: [{ name: 'project.connectOrigins[0]' }] });
  });

  it('refuses an integration that is not there, and one that no page of ours can connect', async () => {
    const ask = (integration: string) =>
      send.post(`${base}/connect-sessions`).send({ ...order('nothing'), integration });
    expect(codeOf((await ask('other').expect(404)).body)).toBe('integration.not-found');
    const content = { name: 'desk', provider: 'zendeskSupport', read: { objects: [{ objectName: 'tickets' }] } };
    const latestRevision = { specVersion: '1.0.0', content };
    await send
      .post(`${base}/integrations`)
      .send({ name: 'desk', provider: 'zendeskSupport', latestRevision })
      .expect(201);
    expect((await ask('desk').expect(422)).body).toMatchObject({
      code: 'connect-session.invalid',
      detail: expect.stringContaining('no provider app of zendeskSupport'),
    });
  });
});

describe('[sec-52] the page', () => {
  it('says who asks for what, and opening it uses nothing up', async () => {
    await send
      .patch(base)
      .send({ updateMask: ['connectColor'], project: { connectColor: '#0b5fff' } })
      .expect(200);
    const { token: secret } = await create('required');
    // As a mail scanner does.
    for (let opened = 0; opened < 3; opened += 1) await new Browser(secret).load();
    expect(await new Browser(secret).load()).toMatchObject({
      state: 'open',
      app: { name: 'App', color: '#0b5fff' },
      session: {
        group: 'Acme',
        provider: { name: 'hubspot', displayName: 'HubSpot' },
        integration: 'required',
        reads: ['contacts'],
        writes: ['contacts'],
        ways: ['page', 'apiKey'],
        hasChoices: true,
      },
    });
    expect(await sessions().whereNull('cookie_hash')).toHaveLength(1);
    await new Browser(secret).connect();
  });

  // Nothing but the customer's browser takes part after the provider sent it back, and not even that need read the reply.
  it('installs on the server in the request that brings the code', async () => {
    const browser = await browse();
    await browser.load();
    const reply = await browser.back(await browser.allow()).expect(303);
    expect(reply.headers['location']).toMatch(/^https:\/\/sluice\.example\/connect#/);
    const [connection] = await connections();
    expect(connection).toMatchObject({
      group: { groupRef: 'acme', groupName: 'Acme' },
      consumer: { consumerRef: 'ann' },
    });
    expect(await installations()).toMatchObject([
      { connection: { id: connection?.id }, createdBy: 'consumer:ann', config: { createdBy: 'consumer:ann' } },
    ]);
    expect(await browser.load()).toMatchObject({ state: 'done', session: { account: '4711' } });
  });

  it('installs with typed credentials, which the provider is asked about', async () => {
    const browser = await browse();
    await browser.load();
    expect((await browser.submit('/credentials', { apiKey: 'wrong' }).expect(422)).body).toMatchObject({
      issues: [{ name: 'apiKey', detail: expect.stringContaining('is refused by hubspot') }],
    });
    expect((await browser.submit('/credentials', { apiKey: token }).expect(200)).body).toMatchObject({ state: 'done' });
    expect(await installations()).toMatchObject([{ connection: { authScheme: 'apiKey' } }]);
  });

  it('takes no input that the provider does not ask for', async () => {
    const browser = await browse();
    await browser.load();
    const inputs = { colour: 'red' };
    for (const reply of [
      await browser.submit('/credentials', { apiKey: token, inputs }),
      await browser.submit('/authorization', { inputs }),
    ])
      expect(reply).toMatchObject({ status: 422, body: { issues: [{ name: 'inputs.colour' }] } });
    expect(await connections()).toEqual([]);
  });

  it('installs with the defaults where only optional fields are left, and then takes the choice once', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    expect(await installations()).toHaveLength(1);
    // Another account cannot be connected by it any more.
    expect(codeOf((await browser.submit('/authorization').expect(409)).body)).toBe('connect-session.used');
    const phone = { contacts: { selectedFields: { phone: true } } };
    const chosen = { content: { read: { objects: phone } } };
    expect((await browser.submit('/choices', chosen).expect(200)).body).toMatchObject({ state: 'done' });
    expect(await installations()).toMatchObject([{ config: { content: { read: { objects: phone } } } }]);
    expect(codeOf((await browser.submit('/choices', chosen).expect(409)).body)).toBe('connect-session.used');
  });

  it("asks for a required mapping among the account's fields, and refuses another at the field", async () => {
    const browser = await browse('required');
    expect(await browser.connect()).toMatchObject({ state: 'connected' });
    expect(await installations()).toEqual([]);
    expect((await browser.choices().expect(200)).body).toMatchObject({
      objects: [
        {
          objectName: 'contacts',
          optionalFields: [{ name: 'phone', displayName: 'PHONE', isChosen: false }],
          mappings: [{ mapToName: 'position', isRequired: true, field: 'jobtitle' }],
          fields: [{ fieldName: 'email' }, { fieldName: 'jobtitle' }, { fieldName: 'phone' }],
        },
      ],
    });
    const choose = (contacts: object) => browser.submit('/choices', { content: { read: { objects: { contacts } } } });
    const at = 'content.read.objects.contacts.selectedFieldMappings.position';
    const refusals: [object, string, string][] = [
      [{}, at, 'is required'],
      [{ selectedFieldMappings: { position: '' } }, at, 'is required'],
      [{ selectedFieldMappings: { position: 'jobtitel' } }, at, 'did you mean jobtitle?'],
      [
        { selectedFields: { email: true }, selectedFieldMappings: { position: 'jobtitle' } },
        'content.read.objects.contacts.selectedFields.email',
        'no optional field',
      ],
      [
        { selectedFieldMappings: { position: 'jobtitle', boss: 'email' } },
        'content.read.objects.contacts.selectedFieldMappings.boss',
        'no mapping',
      ],
    ];
    for (const [contacts, name, sentence] of refusals) {
      expect((await choose(contacts).expect(422)).body).toMatchObject({
        code: 'connect-session.invalid',
        issues: [{ name, detail: expect.stringContaining(sentence) }],
      });
    }
    expect(await installations()).toEqual([]);
    await choose({ selectedFieldMappings: { position: 'jobtitle' } }).expect(200);
    expect(await installations()).toMatchObject([
      { config: { content: { read: { objects: { contacts: { selectedFieldMappings: { position: 'jobtitle' } } } } } } },
    ]);
  });

  it('connects the same account again, and refuses another', async () => {
    await (await browse()).connect();
    const [before] = await connections();
    await management.database('connections').where({ id: before?.id }).update({ status: 'bad_credentials' });
    const other = await browse();
    expect(await other.load()).toMatchObject({
      state: 'open',
      session: { installed: { isRefused: true }, account: '4711' },
    });
    give('connect-other', 8);
    await other.back(await other.allow()).expect(303);
    expect(await other.load()).toMatchObject({
      state: 'open',
      session: { failure: expect.stringContaining('4711') },
    });
    expect(await connections()).toMatchObject([{ id: before?.id, status: 'bad_credentials' }]);
    give(token, 4711);
    expect(await other.connect()).toMatchObject({ state: 'done' });
    expect(await connections()).toMatchObject([{ id: before?.id, status: 'created' }]);
    expect(await installations()).toHaveLength(1);
  });

  it('of two links of one group that are open at once, the second connects no other account', async () => {
    const [first, second] = [await browse(), await browse()];
    await first.load();
    await second.load();
    const [back, late] = [await first.allow(), await second.allow()];
    await first.back(back).expect(303);
    give('connect-other', 8);
    await second.back(late).expect(303);
    expect(await second.load()).toMatchObject({
      state: 'open',
      session: { installed: { isRefused: false }, account: '4711', failure: expect.stringContaining('meanwhile') },
    });
    expect(await connections()).toHaveLength(1);
    expect(await first.load()).toMatchObject({ state: 'done' });
  });

  it('of two links of one group that both wait for a choice, the second changes nothing of the first', async () => {
    const [first, second] = [await browse('required'), await browse('required')];
    await first.connect();
    await second.load();
    give('connect-other', 8);
    await second.connect();
    // What its page shows are the fields of the account that it connected.
    const { connectionId } = (await second.load()).session ?? {};
    await first.submit('/choices', position('jobtitle')).expect(200);
    const [before] = await installations();
    const late = { ...position('phone'), connectionId };
    expect(codeOf((await second.submit('/choices', late).expect(409)).body)).toBe('connect-session.used');
    expect(await installations()).toEqual([before]);
    expect(await second.load()).toMatchObject({
      state: 'open',
      session: { account: '4711', failure: expect.stringContaining('meanwhile') },
    });
  });

  it('changes what was chosen, and leaves the rest of the config', async () => {
    await (await browse('optional')).connect();
    const [{ id, integrationId } = { id: '', integrationId: '' }] = await installations();
    await send
      .patch(`${base}/integrations/${integrationId}/installations/${id}`)
      .send({
        updateMask: ['config.content.write.objects.contacts'],
        installation: { config: { content: { write: { objects: { contacts: { objectName: 'contacts' } } } } } },
      })
      .expect(200);
    const browser = await browse('optional');
    expect(await browser.load()).toMatchObject({ session: { installed: { isRefused: false }, hasChoices: true } });
    const objects = { contacts: { selectedFields: { phone: true } } };
    await browser.submit('/choices', { content: { read: { objects } } }).expect(200);
    expect(await installations()).toMatchObject([
      { id, config: { content: { read: { objects }, write: { objects: { contacts: {} } } } } },
    ]);
  });
});

describe('[sec-52] a session that is not, or not any more, to be used', () => {
  it('does not install again what was taken back while the customer chose', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    const [{ id, integrationId } = { id: '', integrationId: '' }] = await installations();
    await send.delete(`${base}/integrations/${integrationId}/installations/${id}`).expect(204);
    expect(codeOf((await browser.submit('/choices').expect(409)).body)).toBe('connect-session.used');
    expect(await installations()).toEqual([]);
  });

  it('belongs to the browser that submitted first', async () => {
    const { token: secret } = await create();
    const [mine, other] = [new Browser(secret), new Browser(secret)];
    await mine.load();
    await other.load();
    await mine.submit('/authorization').expect(200);
    expect(await other.load()).toEqual({ state: 'other-browser', app: { name: 'App' } });
    for (const path of ['/authorization', '/credentials', '/choices'])
      expect(codeOf((await other.submit(path).expect(403)).body)).toBe('connect-session.other-browser');
    await other.choices().expect(403);
    // What was begun here does not end there: the code of a person who was sent the address connects nothing.
    const back = await mine.allow();
    expect((await other.back(back).expect(400)).text).toContain('another browser');
    expect(await connections()).toEqual([]);
    expect(await mine.load()).toMatchObject({ state: 'open' });
    await mine.connect();
    expect(await other.load()).toEqual({ state: 'used', app: { name: 'App' } });
  });

  it('takes nothing from a browser without its cookie', async () => {
    const browser = await browse();
    expect((await browser.submit('/authorization').expect(403)).body).toMatchObject({
      code: 'connect-session.other-browser',
      remedy: expect.stringContaining('Allow cookies'),
    });
  });

  it('is used once: links, states and tabs that come again change nothing', async () => {
    const browser = await browse();
    await browser.load();
    const [back, second] = [await browser.allow(), await browser.allow()];
    await browser.back(back).expect(303);
    await browser.back(back).expect(400);
    give('connect-other', 8);
    await browser.back(second).expect(303);
    expect(await connections()).toHaveLength(1);
    for (const path of ['/authorization', '/credentials', '/choices'])
      expect(codeOf((await browser.submit(path).expect(409)).body)).toBe('connect-session.used');
    expect(await browser.load()).toMatchObject({ state: 'done' });
  });

  it('has expired, whether it was begun or not', async () => {
    const [fresh, begun] = [await browse(), await browse()];
    await fresh.load();
    await begun.load();
    const back = await begun.allow();
    await expire();
    for (const browser of [fresh, begun]) {
      expect(await browser.load()).toEqual({ state: 'expired', app: { name: 'App' } });
      expect(codeOf((await browser.submit('/authorization').expect(410)).body)).toBe('connect-session.expired');
    }
    await begun.back(back).expect(303);
    expect(await connections()).toEqual([]);
  });

  it('was used where it has installed, also when its time is over before a choice', async () => {
    const browser = await browse('optional');
    expect(await browser.connect()).toMatchObject({ state: 'installed' });
    await expire();
    expect(await browser.load()).toEqual({ state: 'used', app: { name: 'App' } });
    expect(codeOf((await browser.submit('/choices').expect(409)).body)).toBe('connect-session.used');
  });

  it("is of no key, no other project's path and no guessed token", async () => {
    const { token: secret } = await create();
    const ask = (path: string, authorization: string) => management.as().get(path).set('Authorization', authorization);
    await send.get(`${base}/connect-session`).expect(401);
    await ask(`${base}/connect-session`, `Bearer ${project.key}`).expect(404);
    await ask(`${base}/connect-session`, `Bearer ${project.id}.${'A'.repeat(43)}`).expect(404);
    const other = await management.newProject();
    await ask(`/v1/projects/${other.id}/connect-session`, `Bearer ${secret}`).expect(404);
    // And the token is no credential elsewhere.
    await ask(`${base}/connections`, `Bearer ${secret}`).expect(401);
  });

  it('is gone a day after its end, and with its project', async () => {
    const { token: secret } = await create();
    await create();
    await sessions()
      .where({ group_ref: 'acme' })
      .update({ expires_at: management.database.raw(`now() - interval '23 hours'`) });
    expect(await management.context.store.connectSessions.purge(10)).toBe(0);
    await sessions()
      .limit(1)
      .update({ expires_at: management.database.raw(`now() - interval '25 hours'`) });
    expect(await management.context.store.connectSessions.purge(10)).toBe(2);
    const reply = await management.as().get(`${base}/connect-session`).set('Authorization', `Bearer ${secret}`);
    expect(codeOf(reply.body)).toBe('connect-session.not-found');
    await create();
    await send.delete(base).expect(204);
    expect(await sessions()).toEqual([]);
  });
});

describe('at once, and cut short', () => {
  it('two tabs that submit together make one connection and one installation', async () => {
    const browser = await browse();
    await browser.load();
    const submits = await Promise.all(
      Array.from({ length: 6 }, () => browser.submit('/credentials', { apiKey: token })),
    );
    const statuses = submits.map(({ status }) => status);
    expect(statuses).toContain(200);
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await leftOver()).toEqual([]);
    expect(await installations()).toHaveLength(1);
    const backs = await browse('optional');
    await backs.load();
    const addresses = [await backs.allow(), await backs.allow(), await backs.allow()];
    await Promise.all(addresses.map((address) => backs.back(address).expect(303)));
    expect(await installations()).toHaveLength(2);
  });

  it('two links with an account each, whose choices come together: one of them installs', async () => {
    const links = [await browse('required'), await browse('required')];
    for (const link of links) await link.load();
    await links[0]?.connect();
    give('connect-other', 8);
    await links[1]?.connect();
    const content = { read: { objects: { contacts: { selectedFieldMappings: { position: 'jobtitle' } } } } };
    const submits = await Promise.all(links.map((link) => link.submit('/choices', { content })));
    expect(submits.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409]);
    expect(await installations()).toHaveLength(1);
  });

  it('browsers that submit together: one has it', async () => {
    const { token: secret } = await create();
    const browsers = Array.from({ length: 6 }, () => new Browser(secret));
    for (const browser of browsers) await browser.load();
    const submits = await Promise.all(browsers.map((browser) => browser.submit('/authorization')));
    expect(submits.filter(({ status }) => status === 403)).toHaveLength(5);
  });

  describe('two accounts whose codes are exchanged at one time', () => {
    it.each([
      ['nothing', 'done'],
      ['required', 'connected'],
    ] as const)('in two tabs of a link that leaves %s: one is used, and the other tab says so', async (leaves, state) => {
      const browser = await browse(leaves);
      await browser.load();
      const [own, other] = giveAtOnce();
      const addresses = [await browser.allow(own), await browser.allow(other)];
      await Promise.all(addresses.map((address) => browser.back(address).expect(303)));
      const [connection, ...more] = await connections();
      expect(more).toEqual([]);
      expect(await browser.load()).toMatchObject({
        state,
        session: { connectionId: connection?.id, failure: expect.stringContaining('beside it is not used') },
      });
    });

    it('by two links of a group: the one that installs is used, and nothing of the other is left', async () => {
      const links = [await browse(), await browse()];
      for (const link of links) await link.load();
      const codes = giveAtOnce();
      const addresses = await Promise.all(links.map((link, at) => link.allow(codes[at])));
      await Promise.all(links.map((link, at) => link.back(addresses[at] as string).expect(303)));
      expect(await installations()).toHaveLength(1);
      expect(await leftOver()).toEqual([]);
      const views = await Promise.all(links.map((link) => link.load()));
      expect(views.map(({ state }) => state).toSorted()).toEqual(['done', 'open']);
      const late = views.find(({ state }) => state === 'open');
      expect(late?.session).toMatchObject({ installed: {}, failure: expect.stringContaining('meanwhile') });
    });

    it('by two links that wait for a choice: the first choice is used, and nothing of the other is left', async () => {
      const [first, second] = [await browse('required'), await browse('required')];
      await first.load();
      await second.load();
      const [own, other] = giveAtOnce();
      const addresses = [await first.allow(own), await second.allow(other)] as const;
      await Promise.all([first.back(addresses[0]).expect(303), second.back(addresses[1]).expect(303)]);
      expect(await leftOver()).toHaveLength(2);
      await first.submit('/choices', position('jobtitle')).expect(200);
      // The other customer does nothing any more.
      expect(await leftOver()).toEqual([]);
      expect(await installations()).toMatchObject([{ connection: { providerWorkspaceRef: '4711' } }]);
    });
  });

  it('a connection that was there before a link is not taken back with it', async () => {
    const body = { provider: 'hubspot', groupRef: 'acme', consumerRef: 'ann', apiKey: token };
    const { id } = (await send.post(`${base}/connections:generate`).send(body).expect(200)).body as Connection;
    const [first, second] = [await browse('required'), await browse('required')];
    for (const link of [first, second]) await link.load();
    const [{ id: session }] = (await sessions().select('id').orderBy('id').limit(1)) as [{ id: string }];
    await management.context.store.connections.change({
      projectId: project.id,
      connectionId: id,
      connectSessionId: session,
    });
    give('connect-other', 8);
    await second.connect();
    await second.submit('/choices', position('jobtitle')).expect(200);
    expect(await sessions().whereNotNull('failure')).toMatchObject([{ id: session, connection_id: null }]);
    expect(await leftOver()).toEqual([id]);
  });

  // The effects are committed one after another. What is left after a process died, or the database refused, is done by the next load.
  it('what ended between the connection and the installation goes on with the next load', async () => {
    const browser = await browse();
    await browser.load();
    const back = await browser.allow();
    await management.database.raw(`
      create function refuse_installation() returns trigger language plpgsql as $$ begin raise exception 'cut short'; end $$;
      create trigger cut_short before insert on installations for each row execute function refuse_installation()`);
    await browser.back(back);
    expect(await connections()).toHaveLength(1);
    expect(await installations()).toEqual([]);
    expect(await sessions().whereNotNull('connection_id')).toHaveLength(1);
    await management.database.raw('drop trigger cut_short on installations; drop function refuse_installation()');
    expect(await browser.load()).toMatchObject({ state: 'done' });
    expect(await installations()).toHaveLength(1);
  });
});
