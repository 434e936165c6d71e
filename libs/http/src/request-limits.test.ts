import type { Caller } from '@sluice/types';
import request from 'supertest';
import { testApp } from '../test/test-app';
import { authenticator } from './authenticator';
import { RequestLimits, type RequestCounter } from './authenticator';
import { route } from './route';

/** A window that never ends: so many of each bucket, and no more. */
function countFor(asked: string[]): RequestCounter {
  return {
    take: async (bucket, { limit }) => {
      asked.push(bucket);
      const used = asked.filter((one) => one === bucket).length;
      return { granted: used <= limit, retryAfterMs: used <= limit ? 0 : 1_700 };
    },
  };
}

const key = (keyId: string): Caller => ({ kind: 'api-key', keyId, projectId: 'p', scopes: ['full'] });
const token = (groupRef: string): Caller => ({ kind: 'token', keyId: 'signer', projectId: 'p', scopes: [], groupRef });
const callers: Record<string, Caller> = {
  'key-1': key('k1'),
  'key-2': key('k2'),
  'token-1': token('g1'),
  'token-2': token('g2'),
  person: { kind: 'person', keyId: 'person:Ann', scopes: ['full'] },
  admin: { kind: 'admin', keyId: 'admin', scopes: [] },
};

function app(perKey: number, perGroup: number) {
  const asked: string[] = [];
  const settings = { requestsPerSecondKey: perKey, requestsPerSecondGroup: perGroup };
  const limits = new RequestLimits(countFor(asked), settings);
  const server = testApp({
    authenticate: limits.after(authenticator((presented) => callers[presented])),
    routes: (router) =>
      router.post(
        '/groups/:groupRef',
        route<{ params: { groupRef: string }; body: object }>({
          body: { type: 'object' },
          handle: async ({ caller, params }) => {
            await limits.assertGroup(caller, params.groupRef);
            return { body: {} };
          },
        }),
      ),
  });
  const send = (presented: string, groupRef: string, body = '{}') =>
    request(server)
      .post(`/groups/${groupRef}`)
      .set('x-api-key', presented)
      .set('Content-Type', 'application/json')
      .send(body);
  return { asked, send };
}

describe('[sec-38] RequestLimits', () => {
  it('are off by default, and then nothing is asked', async () => {
    const { asked, send } = app(0, 0);
    for (const presented of Object.keys(callers)) await send(presented, 'g1').expect(200);
    expect(asked).toEqual([]);
  });

  it('of a key: 429 before the body is read, and other keys, tokens and the bootstrap key go on', async () => {
    const { send } = app(2, 0);
    await send('key-1', 'g1').expect(200);
    await send('key-1', 'g2').expect(200);
    const { body } = await send('key-1', 'g1', '{"broken"').expect(429).expect('Retry-After', '2');
    expect(body).toMatchObject({ code: 'request.rate-limited', retryable: true, remedy: expect.any(String) });
    expect((body as { detail: string }).detail).toBe(
      'The API key may send 2 requests a second (SLUICE_REQUESTS_PER_SECOND_KEY), and has sent them. Nothing was done.',
    );
    for (const other of ['key-2', 'token-1', 'admin']) {
      for (let sent = 0; sent < 2; sent += 1) await send(other, 'g1').expect(200);
    }
  });

  it('of a person: as of a key, and her name is not for Redis', async () => {
    const { asked, send } = app(2, 0);
    for (const status of [200, 200, 429]) await send('person', 'g1').expect(status);
    await send('key-1', 'g1').expect(200);
    const { body } = await send('person', 'g1').expect(429);
    expect((body as { detail: string }).detail).toMatch(/^The person may send 2 requests a second/);
    expect(asked.join()).not.toContain('Ann');
  });

  it('of a group: its tokens and the keys that name it together; other groups go on', async () => {
    const { asked, send } = app(0, 2);
    await send('token-1', 'g1').expect(200);
    await send('key-1', 'g1').expect(200);
    await send('key-2', 'g1').expect(429);
    const { body } = await send('token-1', 'g1', '{"broken"').expect(429);
    expect((body as { detail: string }).detail).toMatch(/^The group may send 2 .*SLUICE_REQUESTS_PER_SECOND_GROUP/);
    await send('token-2', 'g2').expect(200);
    await send('key-1', 'g2').expect(200);
    for (let sent = 0; sent < 3; sent += 1) await send('admin', 'g1').expect(200);
    // Whom a customer is called is not for Redis.
    expect(asked.join()).not.toContain('g1');
  });
});
