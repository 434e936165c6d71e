import { createHash } from 'node:crypto';
import type { Connection } from '@sluice/types';
import { addConnection } from './prepare-installation';
import { useManagement, type ProjectWithKey } from './start-management';

const management = useManagement();
let project: ProjectWithKey;
let appId: string;
const clientSecret = 'canary-app-secret';
const token = 'canary-access-1';

beforeAll(async () => {
  management.hubspot.outcomes.set(token, { portalId: 4711 });
  management.hubspot.outcomes.set('canary-access-2', { portalId: 4711 });
  management.hubspot.outcomes.set('canary-other', { portalId: 8 });
});
beforeEach(async () => {
  project = await management.newProject();
  give(token);
  const app = {
    provider: 'hubspot',
    clientId: 'client-1',
    clientSecret,
    scopes: ['crm.objects.contacts.read', 'oauth'],
    metadata: { authQueryParams: { optional_scope: ['tickets'], state: ['theirs'], ui: ['a', 'b'] } },
  };
  const made = await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
  appId = (made.body as { id: string }).id;
});

/** What the token endpoint gives next. */
function give(accessToken: string): void {
  const body = {
    access_token: accessToken,
    refresh_token: 'canary-refresh',
    expires_in: 1800,
    hub_id: 4711,
    user_id: 99,
    scopes: ['oauth'],
  };
  management.hubspot.tokenEndpoint.replies.set('authorization_code', { status: 200, body });
}

const order = () => ({ projectIdOrName: project.name, provider: 'hubspot', groupRef: 'acme', consumerRef: 'anna' });
const begin = (more: object = {}, key = project.key) =>
  management
    .as(key)
    .post('/v1/oauth-connect')
    .send({ ...order(), ...more });
const noteOf = (characters: number, name = 'note') => ({ [name]: { value: 'x'.repeat(characters), source: 'input' } });
const urlOf = async (more: object = {}) => new URL((await begin(more).expect(200)).text);
const stateOf = async (more: object = {}) => (await urlOf(more)).searchParams.get('state') ?? '';
const comeBack = (query: Record<string, string>, cookie?: string) => {
  const sent = management.as().get(`/callbacks/v1/oauth?${new URLSearchParams(query)}`);
  return cookie === undefined ? sent : sent.set('Cookie', cookie);
};
const connections = async () =>
  (await management.as(project.key).get(`/v1/projects/${project.id}/connections`).expect(200)).body as Connection[];
/** What the page's script posts to the opener. */
function posted(html: string): { message: { eventType: string; data: Record<string, string> }; target: string } {
  const [, message = '', target = ''] = /postMessage\((\{.*?\}), (".*?")\);<\/script>/.exec(html) ?? [];
  return { message: JSON.parse(message) as never, target: JSON.parse(target) as string };
}

describe('200 POST /v1/oauth-connect', () => {
  it('answers the address of the page, with the app, PKCE and a state [provider-app.auth-query-params-used]', async () => {
    const reply = await begin().expect(200).expect('content-type', 'text/plain; charset=utf-8');
    const url = new URL(reply.text);
    expect(`${url.origin}${url.pathname}`).toBe(`${management.hubspot.url}/oauth/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'client-1',
      redirect_uri: 'https://sluice.example/callbacks/v1/oauth',
      scope: 'crm.objects.contacts.read oauth',
      state: expect.stringMatching(new RegExp(`^${project.id}\\.[\\w-]{43}$`)),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      optional_scope: 'tickets',
    });
    // The builder's parameters never take the place of ours.
    expect(url.searchParams.getAll('state')).toHaveLength(1);
    expect(url.searchParams.getAll('ui')).toEqual(['a', 'b']);
    expect(reply.text).not.toContain(clientSecret);
    expect(reply.headers['set-cookie']).toBeUndefined();
  });

  // So published clients send a field that their user emptied.
  it('takes an empty workspace as none', async () => {
    const empty = { providerWorkspaceRef: '', providerMetadata: { workspace: { value: '', source: 'input' } } };
    await comeBack({ state: await stateOf(empty), code: 'code-1' }).expect(200);
    expect(await connections()).toMatchObject([
      { providerWorkspaceRef: '4711', providerMetadata: { workspace: { value: '4711', source: 'provider' } } },
    ]);
  });

  // Elsewhere a browser of another origin could keep no cookie, and nothing else of the API takes one.
  it('lets a browser of another origin keep its cookie, here only', async () => {
    const origin = 'https://app.builder.example';
    const reply = await begin({ enableCSRFProtection: true }).set('Origin', origin).expect(200);
    expect(reply.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
    });
    const other = await management.as(project.key).get('/v1/projects').set('Origin', origin).expect(200);
    expect(other.headers).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(other.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('keeps neither the state nor the verifier in the clear', async () => {
    const state = await stateOf();
    const rows = await management.database('oauth_states').where({ project_id: project.id }).select('*');
    expect(rows).toHaveLength(1);
    expect(JSON.stringify(rows)).not.toContain(state.split('.')[1]);
    expect((rows[0] as { sealed_verifier: string }).sealed_verifier).toMatch(/^v1\.k1\./);
  });
});

describe('the project of POST /v1/oauth-connect', () => {
  // The published Node client names it so.
  it.each([
    ['projectId, the id', () => ({ projectIdOrName: undefined, projectId: project.id })],
    ['projectId, the name', () => ({ projectIdOrName: undefined, projectId: project.name })],
    ['both, id and name of one project', () => ({ projectIdOrName: project.name, projectId: project.id })],
  ])('is named by %s', async (_by, named) => {
    await comeBack({ state: await stateOf(named()), code: 'code-1' }).expect(200);
    expect(await connections()).toMatchObject([{ group: { groupRef: 'acme' } }]);
  });

  it('400 where two are named, 400 where none is, 404 where it is not there', async () => {
    const theirs = await management.newProject();
    for (const projectId of [theirs.id, 'nothing']) {
      const reply = await begin({ projectId }).expect(400);
      const detail = `must name the same project as projectIdOrName, which is "${project.name}": send one of the two`;
      expect(reply.body).toMatchObject({ issues: [{ in: 'body', name: 'projectId', detail, value: projectId }] });
    }
    const none = await begin({ projectIdOrName: undefined }).expect(400);
    expect(none.body).toMatchObject({
      issues: [{ in: 'body', name: 'projectIdOrName', detail: 'is required, or projectId' }],
    });
    const unknown = await begin({ projectIdOrName: undefined, projectId: theirs.id }).expect(404);
    expect(unknown.body).toMatchObject({ detail: 'projectId: there is no such project for this key.' });
  });
});

describe('4xx POST /v1/oauth-connect', () => {
  it.each([
    ['no app of the provider', { provider: 'salesforce' }, 422, 'providerAppId'],
    ['an app that is not there', { providerAppId: 'nothing' }, 422, 'providerAppId'],
    ['an unknown provider', { provider: 'nowhere' }, 422, 'provider'],
    ['no consumerRef', { consumerRef: undefined }, 400, 'consumerRef'],
    ['a workspace that leads elsewhere', { providerWorkspaceRef: 'evil.com/' }, 400, 'providerWorkspaceRef'],
    [
      'two workspaces',
      { providerWorkspaceRef: '1', providerMetadata: { workspace: { value: '2', source: 'input' } } },
      400,
      'providerMetadata.workspace.value',
    ],
    ['17 kB of metadata', { providerMetadata: noteOf(17_000) }, 400, 'providerMetadata'],
  ])('%s', async (_case, more, status, name) => {
    const reply = await begin(more).expect(status);
    expect((reply.body as { issues: { name: string }[] }).issues.map((issue) => issue.name)).toContain(name);
  });
});

describe('GET /callbacks/v1/oauth', () => {
  it('exchanges the code and makes a connection, and notifies the page that asked', async () => {
    const url = new URL(
      (await begin({ groupName: 'Acme Inc.' }).set('Origin', 'https://app.builder.example').expect(200)).text,
    );
    const state = url.searchParams.get('state') ?? '';
    const page = await comeBack({ state, code: 'code-1', hub: 'ignored' }).expect(200);
    const [connection, ...more] = await connections();
    expect(more).toEqual([]);
    expect(connection).toMatchObject({
      provider: 'hubspot',
      providerApp: { id: appId },
      providerWorkspaceRef: '4711',
      providerConsumerRef: '99',
      group: { groupRef: 'acme', groupName: 'Acme Inc.' },
      consumer: { consumerRef: 'anna' },
      authScheme: 'oauth2/authorizationCodePKCE',
      status: 'created',
    });
    expect(posted(page.text)).toEqual({
      message: { eventType: 'AUTHORIZATION_SUCCEEDED', data: { connection: connection?.id } },
      target: 'https://app.builder.example',
    });
    const asked = management.hubspot.tokenEndpoint.asked.at(-1) ?? {};
    expect(asked).toMatchObject({
      grant_type: 'authorization_code',
      client_id: 'client-1',
      client_secret: clientSecret,
      redirect_uri: 'https://sluice.example/callbacks/v1/oauth',
      code: 'code-1',
    });
    const challenge = createHash('sha256')
      .update(asked['code_verifier'] ?? '')
      .digest('base64url');
    expect(challenge).toBe(url.searchParams.get('code_challenge'));
    expect(page.text).not.toContain('canary');
  });

  // A backend asks for the link and cannot pass a cookie on; the page says whose link it was instead.
  it('takes a link in any browser, and names app and group on the page, whatever comes of it', async () => {
    const backend = await begin({ groupName: 'Acme <Inc>' }).expect(200);
    expect(backend.headers['set-cookie']).toBeUndefined();
    const state = new URL(backend.text).searchParams.get('state') ?? '';
    const page = await comeBack({ state, code: 'code-1' }, 'sluice_oauth_AAAAAAAAAAAAAAAA=of-another').expect(200);
    const refused = await comeBack({ state: await stateOf({ groupName: 'Acme <Inc>' }), error: 'access_denied' });
    for (const { text } of [page, refused]) {
      expect(text).toContain('<bdi>App</bdi>');
      expect(text).toContain('<bdi>Acme &lt;Inc&gt; (acme)</bdi>');
      expect(text).toContain('<bdi>HubSpot</bdi>');
    }
    expect(refused.status).toBe(400);
    // The page of a link that nobody made names nobody.
    expect((await comeBack({ state, code: 'code-1' }).expect(400)).text).not.toContain('<bdi>');
    expect(await connections()).toHaveLength(1);
  });

  // Whoever begins chooses the name of the group, so its id stands beside it.
  it('names the group by its id where it has no other name, also when a connection is made anew', async () => {
    await comeBack({ state: await stateOf(), code: 'code-1' }).expect(200);
    const [connection] = await connections();
    const path = `/v1/projects/${project.id}/connections/${connection?.id}:oauth-update`;
    const url = new URL((await management.as(project.key).patch(path).expect(200)).text);
    const page = await comeBack({ state: url.searchParams.get('state') ?? '', code: 'code-2' }).expect(200);
    expect(page.text).toContain('<bdi>acme</bdi>');
  });

  it('is a page that runs its own script only, and loads nothing', async () => {
    const page = await comeBack({ state: await stateOf(), code: 'code-1' })
      .expect(200)
      .expect('content-type', /^text\/html/);
    const nonce = /<script nonce="([^"]+)">/.exec(page.text)?.[1];
    expect(page.headers['content-security-policy']).toBe(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers['cache-control']).toBe('no-store');
    expect(page.headers['referrer-policy']).toBe('no-referrer');
    expect(posted(page.text).target).toBe('*');
  });

  it("puts new tokens into the group's connection to the same account", async () => {
    await comeBack({ state: await stateOf(), code: 'code-1' }).expect(200);
    give('canary-access-2');
    await comeBack({ state: await stateOf({ consumerRef: 'ben' }), code: 'code-2' }).expect(200);
    const [connection, ...more] = await connections();
    expect(more).toEqual([]);
    const { installations } = management.context;
    expect(await installations.storedCredentials(project.id, connection?.id ?? '')).toMatchObject({
      tokenVersion: 2,
      credentials: { accessToken: 'canary-access-2' },
    });
    // Another group has its own connection, also to the same account.
    await comeBack({ state: await stateOf({ groupRef: 'beta' }), code: 'code-3' }).expect(200);
    expect(await connections()).toHaveLength(2);
  });

  // Each of many authorizations may say 16 kB under names of its own, and every write reads what a connection has.
  it('what is said of the account again and again takes the place of what would be too much with it', async () => {
    await comeBack({ state: await stateOf({ providerMetadata: noteOf(9_000, 'first') }), code: 'code-1' }).expect(200);
    await comeBack({ state: await stateOf({ providerMetadata: noteOf(9_000, 'second') }), code: 'code-2' }).expect(200);
    const [connection] = await connections();
    expect(Object.keys(connection?.providerMetadata ?? {})).toEqual(['second', 'workspace']);
  });

  // A customer who clicks twice comes back twice, with two states and two codes.
  it('returns that come at once make one connection, with the tokens of one of them', async () => {
    const states = await Promise.all(Array.from({ length: 8 }, () => stateOf()));
    const pages = await Promise.all(states.map((state, at) => comeBack({ state, code: `code-${at}` }).expect(200)));
    const [connection, ...more] = await connections();
    expect(more).toEqual([]);
    const named = pages.map(({ text }) => posted(text).message.data['connection']);
    expect(new Set(named)).toEqual(new Set([connection?.id]));
    const stored = await management.context.installations.storedCredentials(project.id, connection?.id ?? '');
    expect(stored).toMatchObject({ tokenVersion: states.length, credentials: { accessToken: token } });
  });

  const fails = async (query: Record<string, string>, sentence: string, cookie?: string) => {
    const before = (await connections()).length;
    const page = await comeBack(query, cookie).expect(400);
    expect(posted(page.text).message).toEqual({
      eventType: 'AUTHORIZATION_FAILED',
      data: { error: expect.stringContaining(sentence) },
    });
    expect(page.text).not.toContain('canary');
    expect(await connections()).toHaveLength(before);
    return page.text;
  };

  it('refuses a state that is older than ten minutes', async () => {
    const state = await stateOf();
    const rows = await management
      .database('oauth_states')
      .where({ project_id: project.id })
      .select<{ left: number }[]>(management.database.raw('extract(epoch from expires_at - now())::float8 as left'));
    expect(rows[0]?.left).toBeGreaterThan(590);
    expect(rows[0]?.left).toBeLessThanOrEqual(600);
    await management
      .database('oauth_states')
      .where({ project_id: project.id })
      .update({ expires_at: management.database.raw('now()') });
    await fails({ state, code: 'code-1' }, 'older than ten minutes');
  });

  it('is tied to the browser that began, where that was asked for', async () => {
    const reply = await begin({ enableCSRFProtection: true }).expect(200);
    const [cookie = ''] = reply.headers['set-cookie'] as unknown as string[];
    expect(cookie).toMatch(
      /^sluice_oauth_[\w-]{16}=[\w-]{43}; Path=\/callbacks\/v1\/oauth; Max-Age=600; HttpOnly; SameSite=None; Secure$/,
    );
    const stateIn = (text: string) => new URL(text).searchParams.get('state') ?? '';
    const [pair = ''] = cookie.split(';');
    await comeBack({ state: stateIn(reply.text), code: 'code-1' }, `a=b; ${pair}`).expect(200);
    for (const wrong of [undefined, `${pair.slice(0, -3)}AAA`, pair]) {
      const other = stateIn((await begin({ groupRef: 'g', enableCSRFProtection: true }).expect(200)).text);
      await fails({ state: other, code: 'code-1' }, 'another browser', wrong);
    }
  });

  it('fails when the code, the account or the workspace does not fit', async () => {
    management.hubspot.tokenEndpoint.replies.delete('authorization_code');
    await fails({ state: await stateOf(), code: 'bad' }, 'refuses the code');
    give('canary-unknown');
    await fails({ state: await stateOf(), code: 'code-1' }, 'credentials');
    give(token);
    await fails({ state: await stateOf({ providerWorkspaceRef: '999' }), code: 'code-1' }, '4711');
    expect(await fails({ state: await stateOf() }, 'without a code')).toContain('Not connected');
  });
});

describe('PATCH connections/{id}:oauth-update', () => {
  const again = (id: string, key = project.key) =>
    management.as(key).patch(`/v1/projects/${project.id}/connections/${id}:oauth-update`);
  const connect = async (): Promise<Connection> => {
    await comeBack({ state: await stateOf(), code: 'code-1' }).expect(200);
    const [made] = await connections();
    if (made === undefined) throw new Error('not connected');
    return made;
  };

  it('keeps what was said of the connection while the customer was at the page', async () => {
    const { id } = await connect();
    const change = async (plan: string) => {
      const providerMetadata = { plan: { value: plan, source: 'input' } };
      const body = { updateMask: ['providerMetadata'], connection: { providerMetadata } };
      await management.as(project.key).patch(`/v1/projects/${project.id}/connections/${id}`).send(body).expect(200);
    };
    await change('silver');
    const state = new URL((await again(id).expect(200)).text).searchParams.get('state') ?? '';
    await change('gold');
    await comeBack({ state, code: 'code-2' }).expect(200);
    expect(await connections()).toMatchObject([{ id, providerMetadata: { plan: { value: 'gold' } } }]);
    expect(await management.context.installations.storedCredentials(project.id, id)).toMatchObject({ tokenVersion: 2 });
  });

  it("begins at the page of the account's data centre", async () => {
    const provider = 'zoho';
    const app = { provider, clientId: 'client-1', clientSecret };
    await management.as(project.key).post(`/v1/projects/${project.id}/provider-apps`).send(app).expect(200);
    const id = await addConnection(management, project.id, 'acme', {
      provider,
      authScheme: 'oauth2/authorizationCodePKCE',
      providerMetadata: { region: { value: 'eu', source: 'token' } },
    });
    expect(new URL((await again(id).expect(200)).text).origin).toBe('https://accounts.zoho.eu');
  });

  it('refuses another account', async () => {
    const { id } = await connect();
    const state = new URL((await again(id).expect(200)).text).searchParams.get('state') ?? '';
    give('canary-other');
    const page = await comeBack({ state, code: 'code-2' }).expect(400);
    expect(posted(page.text).message.data).toEqual({ error: expect.stringContaining('4711') });
    expect(await management.context.installations.storedCredentials(project.id, id)).toMatchObject({ tokenVersion: 1 });
  });

  it('422 for a connection with an API key, 404 for one that is not there', async () => {
    const body = { groupRef: 'acme', consumerRef: 'anna', provider: 'hubspot', apiKey: token };
    const made = await management
      .as(project.key)
      .post(`/v1/projects/${project.id}/connections:generate`)
      .send(body)
      .expect(201);
    expect((await again((made.body as Connection).id).expect(422)).body).toMatchObject({
      code: 'connection.scheme-mismatch',
    });
    await again('nothing').expect(404);
  });
});
