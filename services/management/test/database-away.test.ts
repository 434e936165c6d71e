import { startTcpProxy, type TcpProxy, until } from '@sluice/testkit';
import type supertest from 'supertest';
import { startManagement, type ProjectWithKey, type RunningManagement } from './start-management';

let management: RunningManagement;
let proxy: TcpProxy;
let project: ProjectWithKey;
beforeAll(async () => {
  management = await startManagement(undefined, async (url) => {
    proxy = await startTcpProxy(url);
    return proxy.url;
  });
  project = await management.newProject();
});
afterAll(async () => {
  await management.stop();
  proxy.close();
});

const at = (path: string) => `/v1/projects/${project.id}${path}`;
const app = { provider: 'hubspot', clientId: 'client-1', clientSecret: 'canary-secret' };
const requests: [string, (path: typeof at) => supertest.Test, number][] = [
  ['a list', () => management.as(project.key).get(at('/connections')), 200],
  ['one resource', () => management.as(project.key).get(at('/operations/nothing')), 404],
  ['a change', () => management.as(project.key).post(at('/provider-apps')).send(app), 200],
  [
    'what a browser brings back',
    () => management.as().get(`/callbacks/v1/oauth?state=${project.id}.${'A'.repeat(43)}&code=c`),
    400,
  ],
];

describe('the database is away', () => {
  it.each(requests)('%s: 503 with Retry-After, and it recovers by itself', async (_, send, usual) => {
    await send(at).expect(usual);
    proxy.cut();
    const reply = await send(at).expect(503);
    expect(Number(reply.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(reply.text).toContain('service.unavailable');
    expect(reply.text).not.toMatch(/ECONN|127\.0\.0\.1|postgres|canary/i);
    await proxy.mend();
    await send(at).expect(usual);
  });
});

it.each(requests)('the database is hung: %s: 503 in time, and it recovers by itself', async (_, send, usual) => {
  await send(at).expect(usual);
  proxy.disturb({ silent: 'request' });
  const begunAtMs = performance.now();
  const reply = await send(at).expect(503);
  // Less than a connection may be silent without the watch; on an idle machine it is 3 s.
  expect(performance.now() - begunAtMs).toBeLessThan(25_000);
  expect(reply.text).toContain('service.unavailable');
  proxy.disturb();
  await until('an answer', async () => ((await send(at)).status === usual ? true : undefined));
});
