import { createLogger, createMetrics } from '@sluice/telemetry';
import { problems } from '@sluice/errors';
import { Writable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import request from 'supertest';
import { authenticator } from './authenticator';
import type { AppOptions } from './create-app';
import { testApp } from '../test/test-app';
import { route } from './route';
import type { Router } from './router';

const bodySchema = {
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, count: { type: 'integer' }, apiKey: { type: 'string' } },
};
const querySchema = { type: 'object', properties: { groupRef: { type: 'string' }, pageSize: { type: 'integer' } } };

function routes(router: Router): void {
  router.post(
    '/v1/things',
    route({ body: bodySchema, bodyBytesMax: 10_000, handle: ({ body }) => ({ status: 201, body }) }),
  );
  router.post('/v1/roomy', route({ body: bodySchema, handle: ({ body }) => ({ body }) }));
  router.get('/v1/things', route({ query: querySchema, handle: ({ query }) => ({ body: query }) }));
  router.get('/v1/things/:id', route({ handle: ({ params }) => ({ body: { single: params } }) }));
  router.delete('/v1/things/:id', route({ handle: () => ({}) }));
  router.post('/v1/things\\:batch', route({ handle: () => ({ body: { batch: true } }) }));
  router.patch('/v1/things/:id\\:rename', route({ handle: ({ params }) => ({ body: { renamed: params } }) }));
  router.patch('/v1/things/:id', route({ handle: ({ params }) => ({ body: { changed: params } }) }));
  router.post('/v1/things/:id\\:hydrate', route({ handle: ({ params }) => ({ body: { hydrated: params } }) }));
  router.get('/v1/projects/:project/integrations/:id', route({ handle: () => ({}) }));
  router.get('/v1/broken', () => {
    throw new Error('canary: secret internals');
  });
  router.get('/v1/half', (_req, res) => {
    res.write('half of a rep');
    throw new Error('too late');
  });
}

function start(o: Partial<AppOptions> = {}) {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(JSON.parse(chunk.toString()) as Record<string, unknown>);
      done();
    },
  });
  const app = testApp({ logger: createLogger({ service: 'test', destination }), routes, ...o });
  return { agent: request(app), lines };
}

const post = (body: string | Buffer, headers: Record<string, string> = {}) => {
  const sent = start()
    .agent.post('/v1/things')
    .set({ 'Content-Type': 'application/json', ...headers });
  // Superagent would turn a text into JSON once more; these tests are about bytes.
  return sent.serialize((bytes) => bytes as string).send(body as string);
};

describe('200', () => {
  it('gives a route its checked parts', async () => {
    const { agent } = start();
    const replies = await Promise.all([
      agent.post('/v1/things').send({ name: 'é', count: 2 }),
      agent.get('/v1/things?groupRef=a%20b&pageSize=5'),
      agent.get('/v1/things/a%2Fb'),
      agent.delete('/v1/things/1'),
    ]);
    expect(replies.map(({ status, body }) => [status, body as unknown])).toEqual([
      [201, { name: 'é', count: 2 }],
      [200, { groupRef: 'a b', pageSize: 5 }],
      [200, { single: { id: 'a/b' } }],
      [204, {}],
    ]);
  });

  it('takes paths with a literal colon', async () => {
    const { agent } = start();
    expect((await agent.post('/v1/things:batch')).body).toEqual({ batch: true });
    expect((await agent.post('/v1/things/r1:hydrate')).body).toEqual({ hydrated: { id: 'r1' } });
    // Registered before the general one of this method, but after another method of the general path.
    expect((await agent.patch('/v1/things/r1:rename')).body).toEqual({ renamed: { id: 'r1' } });
    expect((await agent.get('/v1/things/r1:other')).body).toEqual({ single: { id: 'r1:other' } });
  });

  it('answers HEAD like GET, without the body', async () => {
    const { headers, text } = await start().agent.head('/v1/things/7').expect(200);
    expect(headers['content-length']).toBe('21');
    expect(text).toBeUndefined();
  });

  it.each(['application/json;charset=UTF-8', 'APPLICATION/JSON', 'application/json; charset="utf-8"'])(
    'takes %s, and an identity encoding',
    async (type) => {
      const { status } = await post('{"name":"x"}', { 'Content-Type': type, 'Content-Encoding': 'identity' });
      expect(status).toBe(201);
    },
  );
});

describe('headers of every reply', () => {
  it('forbid storing and sniffing, and say nothing about us', async () => {
    const { headers } = await start().agent.get('/v1/nothing');
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('etag');
  });

  it('carry the request id: the caller’s when it is sane, else ours', async () => {
    const { agent } = start();
    const idFor = async (id: string) => (await agent.get('/healthz').set('X-Request-Id', id)).headers['x-request-id'];
    expect(await idFor('abc-123')).toBe('abc-123');
    expect(await idFor('a b')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await idFor('x'.repeat(200))).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('400', () => {
  it.each([
    ['no body', ''],
    ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ])('%s', async (_case, bytes) => {
    const { body } = await post(bytes).expect(400);
    expect(body.code).toBe('request.malformed-json');
  });

  it.each([
    ['a broken rule', '{"name":"x","count":"1"}', 'count'],
    ['JSON of two meanings', '{"name":"x","name":"y"}', 'name'],
  ])('%s: issues name the field', async (_case, text, field) => {
    const { body } = await post(text).expect(400);
    expect(body).toMatchObject({ code: 'request.invalid', issues: [{ in: 'body', name: field }] });
  });

  it('[sec-29] 200 000 nested lists', async () => {
    const sent = start().agent.post('/v1/roomy').type('json').serialize(String);
    expect((await sent.send('['.repeat(200_000))).status).toBe(400);
  });

  it.each(['?groupRef=a&groupRef=b', '?pageSize=many'])('[sec-33] query %s', async (query) => {
    const { body } = await start().agent.get(`/v1/things${query}`).expect(400);
    expect(body.issues).toEqual([expect.objectContaining({ in: 'query' })]);
  });

  it.each([
    '/v1/things/a%00b',
    '/v1/things?groupRef=%00',
    '/v1/things/%zz',
    '/v1/things/%ff',
    '/v1/things?groupRef=%ed%a0%80',
    '/v1/things?groupRef=100%',
  ])('path %s', async (path) => {
    const { body } = await start().agent.get(path).expect(400);
    expect(body.code).toBe('request.invalid');
  });
});

describe('401 and 403', () => {
  const guarded = () =>
    start({
      authenticate: authenticator((key) =>
        Promise.resolve(key === 'k' ? { kind: 'api-key', keyId: 'id', projectId: 'p', scopes: ['read'] } : undefined),
      ),
      routes: (router) => {
        router.post('/v1/w', route({ scopes: ['write'], body: {}, handle: () => ({ body: {} }) }));
        router.get('/v1/me', route({ handle: ({ caller }) => ({ body: caller }) }));
      },
    }).agent;

  it('asks for credentials on routes, not on probes and unknown paths', async () => {
    const { body } = await guarded()
      .get('/v1/me')
      .expect(401)
      .expect('WWW-Authenticate', /Bearer/);
    expect(body).toMatchObject({ code: 'auth.missing', remedy: expect.stringContaining('x-api-key') });
    await guarded().get('/v1/me').set('X-Api-Key', 'k').expect(200);
    await guarded().get('/healthz').expect(200);
    await guarded().get('/v1/other').expect(404);
  });

  it('refuses a scope before it reads the body', async () => {
    const { body } = await guarded().post('/v1/w').set('X-Api-Key', 'k').type('json').send('{broken').expect(403);
    expect(body.code).toBe('auth.scope-missing');
  });
});

describe('404 and 405', () => {
  it('unknown path', async () => {
    const { body } = await start().agent.get('/v1/nothing?x=1').expect(404);
    expect(body).toMatchObject({ code: 'request.path-unknown', type: '/problems/request.path-unknown', status: 404 });
  });

  const integrations = '/projects/p/integrations';
  const write = '/projects/p/integrations/i/objects/o';
  it.each([
    ['management', 'GET', integrations, /^Send it as GET \/v1\/projects\/p\/integrations: a base URL ends/],
    ['management', 'GET', '/v1/v1/projects', /^Send it as GET \/v1\/projects: a base URL ends with \/v1, once\.$/],
    ['management', 'POST', `/v1${write}`, /of the write API \(port 4300 .* as POST \/v1\/pro/],
    ['management', 'POST', write, /of the write API .* as POST \/v1\/projects\/p/],
    ['write-gateway', 'POST', `/v1${integrations}/i`, /of the search API \(port 4200 /],
    ['search', 'GET', '/v1/projects', /of the management API \(port 4100 /],
    ['search', 'POST', `${integrations}/i/`, /^Send it as POST \/v1\/projects\/p\/integrations\/i\/:/],
    ['management', 'GET', '/v1/projects/p/nothing', /^Check the base URL and the path\.$/],
    ['management', 'GET', '/favicon.ico', /^Check the base URL and the path\.$/],
  ])('%s, %s %s: the remedy is the right address', async (service, method, path, remedy) => {
    const { agent } = start({ service });
    const { status, body } = await agent[method === 'GET' ? 'get' : 'post'](path);
    expect([404, 405]).toContain(status);
    expect(body.remedy).toMatch(remedy);
  });

  it('[sec-36] the methods of a verb are its own, not those of the id before it', async () => {
    const { agent } = start();
    await agent.get('/v1/things/1:rename').expect(405).expect('Allow', 'PATCH, OPTIONS');
    await agent.delete('/v1/things/1:hydrate').expect(405).expect('Allow', 'POST, OPTIONS');
  });

  it('[sec-36] known path, other method: names the methods', async () => {
    const { body } = await start().agent.put('/v1/things').expect(405).expect('Allow', 'POST, GET, HEAD, OPTIONS');
    expect(body.code).toBe('request.method-not-allowed');
    await start().agent.post('/healthz').expect(405);
  });

  it('[sec-36] TRACE is off and OPTIONS lists the methods', async () => {
    expect((await start().agent.trace('/v1/things')).status).toBe(405);
    const { status, headers } = await start().agent.options('/v1/things');
    expect([status, headers['allow']]).toEqual([204, 'POST, GET, HEAD, OPTIONS']);
  });
});

describe('413', () => {
  it('[sec-28] a body over the limit, by its Content-Length, and not the limit itself', async () => {
    await post(`{"name":"${'x'.repeat(10_000 - 11)}"}`).expect(201);
    const { body } = await post(`{"name":"${'x'.repeat(10_000 - 10)}"}`).expect(413);
    expect(body).toMatchObject({ code: 'request.body-too-large', detail: expect.stringContaining('10000') });
  });
});

describe('415', () => {
  it.each([
    ['text/plain', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }],
    ['no type at all', { 'Content-Type': '' }],
  ])('%s', async (_case, headers) => {
    const { body } = await post('{"name":"x"}', headers).expect(415);
    expect(body.code).toBe('request.content-type');
  });

  it('[sec-35] gzip, whatever is inside', async () => {
    const { body } = await post(gzipSync('x'.repeat(1_000)), { 'Content-Encoding': 'gzip' })
      .expect(415)
      .expect('Accept-Encoding', 'identity');
    expect(body.remedy).toContain('Content-Encoding');
  });
});

describe('500', () => {
  it('shows nothing of the error, and logs it once with its cause', async () => {
    const { agent, lines } = start();
    const { body, text } = await agent.get('/v1/broken').expect(500);
    expect(text).not.toContain('canary');
    expect(body).toMatchObject({ code: 'service.defect', instance: body.requestId, retryable: false });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'error', requestId: body.requestId, route: '/v1/broken', status: 500 });
    expect(JSON.stringify(lines[0])).toContain('canary: secret internals');
  });

  it('cuts the connection when the reply has begun', async () => {
    const { agent, lines } = start();
    await expect(agent.get('/v1/half')).rejects.toThrow('socket hang up');
    expect(lines[0]).toMatchObject({ level: 'error', event: 'http.request', status: 500 });
  });
});

describe('operability', () => {
  it('/healthz lives while /readyz says which dependency is at fault', async () => {
    const checks = { postgres: 'does not answer' };
    const { agent, lines } = start({ ready: () => ({ ready: false, checks }) });
    await agent.get('/healthz').expect(200, { status: 'ok' });
    await agent.get('/readyz').expect(503, { status: 'not ready', ready: false, checks });
    expect(lines.filter((line) => line['level'] === 'error')).toEqual([]);
  });

  it('counts by method, route template and class of status', async () => {
    const metrics = createMetrics('test');
    const { agent } = start({ metrics });
    await agent.get('/v1/things/secret-id');
    await agent.get('/v1/nowhere/secret-id');
    const { body } = await metrics.expose();
    expect(body).toMatch(
      /duration_seconds_count\{(?=.*method="GET")(?=.*route="\/v1\/things\/:id")(?=.*status="2xx").*\} 1/,
    );
    expect(body).toMatch(/duration_seconds_count\{(?=.*route="unmatched")(?=.*status="4xx").*\} 1/);
    expect(body).not.toContain('secret-id');
  });

  it('shows no metrics: they have a port of their own', async () => {
    await start().agent.get('/metrics').expect(404);
  });

  it('logs a refused request at info, with its code and no address', async () => {
    const { agent, lines } = start();
    await agent.get('/v1/things?groupRef=a&groupRef=private\n{"level":"error"}').expect(400);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'info', event: 'http.request', code: 'request.invalid', status: 400 });
    expect(JSON.stringify(lines[0])).not.toContain('private');
  });

  it('/problems/{code} explains every code, to programs and to browsers', async () => {
    const { agent } = start();
    for (const code of Object.keys(problems)) {
      const { body } = await agent.get(`/problems/${code}`).expect(200);
      expect(body).toMatchObject({ code, type: `/problems/${code}` });
    }
    const { text } = await agent
      .get('/problems/auth.missing')
      .set('Accept', 'text/html')
      .expect('Content-Type', /html/);
    expect(text).toContain('No credentials were sent');
    await agent.get('/problems/constructor').expect(404);
  });
});

describe('CORS', () => {
  it('is off unless asked for', async () => {
    const { headers } = await start().agent.get('/healthz');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('lets the published browser client call', async () => {
    const { agent } = start({ cors: true });
    const { headers } = await agent
      .options('/v1/things')
      .set({ Origin: 'https://app.example', 'Access-Control-Request-Method': 'PATCH' })
      .expect(204);
    expect(headers['access-control-allow-origin']).toBe('*');
    for (const name of ['X-Api-Key', 'Authorization', 'Content-Type', 'X-Amp-Client', 'X-Amp-Client-Version']) {
      expect(headers['access-control-allow-headers']).toContain(name);
    }
    const failed = await agent.get('/v1/nothing').expect(404);
    expect(failed.headers['access-control-allow-origin']).toBe('*');
  });
});
