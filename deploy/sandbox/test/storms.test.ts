import { contacts, startClient, type Client } from './sandbox-client';
import { startOrg, type OrgClient } from './salesforce-client';

/** A clock the test moves: storms end by it. */
let now = new Date('2026-01-01T00:00:00.000Z');
const later = (ms: number): void => {
  now = new Date(now.getTime() + ms);
};
let client: Client;
let org: OrgClient;
beforeAll(async () => {
  client = await startClient({ now: () => now }, { limits: { perTenSeconds: 0 } });
  org = await startOrg({ now: () => now });
});
afterAll(async () => {
  await client.close();
  await org.close();
});
beforeEach(async () => {
  await client.reset();
  await org.reset();
});

const create = () => client.call('POST', contacts, { properties: { lastname: 'm-1' } });
const createContact = () => org.call('POST', '/sobjects/Contact', { LastName: 'm-1' });

describe('refused for a limit', () => {
  it.each([
    ['burst', 'TEN_SECONDLY_ROLLING', 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.'],
    ['daily', 'DAILY', 'TotalRequests Limit exceeded.'],
  ] as const)('%s, in the words of each provider', async (policy, policyName, message) => {
    await client.fault({ action: { kind: 'quota', policy, retryAfterSeconds: 7 } });
    const hubspot = await create();
    expect([hubspot.status, hubspot.body.policyName, hubspot.headers.get('retry-after')]).toEqual([
      429,
      policyName,
      '7',
    ]);
    await org.fault({ action: { kind: 'quota', policy } });
    const salesforce = await createContact();
    expect([salesforce.status, salesforce.body, salesforce.headers.get('retry-after')]).toEqual([
      403,
      [{ errorCode: 'REQUEST_LIMIT_EXCEEDED', message }],
      null,
    ]);
    expect([await client.records(), await org.records('Contact')]).toEqual([[], []]);
  });
});

describe('a storm', () => {
  it('hits every call of its account until its time is over', async () => {
    const other = (await client.send('POST', '/_sandbox/accounts', { name: 'globex', provider: 'hubspot' })).body;
    await client.fault({ account: 'acme', durationMs: 30_000, action: { kind: 'quota', retryAfterSeconds: 30 } });
    expect([(await create()).status, (await create()).status]).toEqual([429, 429]);
    const headers = { authorization: `Bearer ${other.token}` };
    expect((await client.send('POST', contacts, { properties: {} }, headers)).status).toBe(201);
    later(29_999);
    expect((await create()).status).toBe(429);
    later(1);
    expect((await create()).status).toBe(201);
    expect((await client.send('GET', '/_sandbox/faults')).body).toMatchObject([{ seen: 3, hits: 3 }]);
  });
});

describe('a mixture', () => {
  const mixture = [
    { share: 0.25, action: { kind: 'commit-then-status', status: 500 } },
    { share: 0.25, action: { kind: 'quota' } },
    { share: 0.25, action: { kind: 'status', status: 503 } },
  ] as const;
  const statuses = async (seed: number): Promise<number[]> => {
    await client.reset();
    await client.fault({ seed, mixture });
    const answers: number[] = [];
    for (let index = 0; index < 80; index += 1) answers.push((await create()).status);
    return answers;
  };

  it('gives each kind its share of the calls, the same calls for the same seed', async () => {
    const first = await statuses(7);
    for (const status of [500, 429, 503, 201]) {
      const count = first.filter((each) => each === status).length;
      expect([status, count >= 10 && count <= 30]).toEqual([status, true]);
    }
    const written = first.filter((status) => status === 201 || status === 500).length;
    expect(await client.records()).toHaveLength(written);
    expect(await statuses(7)).toEqual(first);
    expect(await statuses(8)).not.toEqual(first);
  });

  it.each<[string, object, string]>([
    ['neither action nor mixture', {}, 'action'],
    ['both', { mixture, action: { kind: 'quota' } }, 'action'],
    ['more than the whole', { mixture: [...mixture, ...mixture] }, 'mixture'],
  ])('refuses %s', async (_name, body, name) => {
    const { status, body: problem } = await client.send('POST', '/_sandbox/faults', body);
    expect([status, problem.issues[0].name]).toEqual([400, name]);
  });
});

it('the ledger distinguishes tokens without showing them', async () => {
  await create();
  const second = 'another-token-of-acme';
  await client.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'hubspot', token: second });
  await client.send('POST', contacts, { properties: {} }, { authorization: `Bearer ${second}` });
  const [before, after] = await client.ledger();
  expect([before?.token, after?.token]).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/), expect.any(String)]);
  expect(after?.token).not.toBe(before?.token);
  expect(JSON.stringify(await client.ledger())).not.toContain(second);
});
