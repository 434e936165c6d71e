import { request } from 'node:http';
import type { FaultAction } from '../src/control/fault-action';
import { startOrg, type OrgClient } from './salesforce-client';
import { contacts, startClient, type Client } from './sandbox-client';

let client: Client;
let org: OrgClient;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0 } });
  org = await startOrg();
});
afterAll(() => Promise.all([client.close(), org.close()]));
beforeEach(() => Promise.all([client.reset(), org.reset()]));

/** A create as it arrives, nothing decoded. */
function createUndecoded(): Promise<{ headers: Record<string, unknown>; bytes: Buffer; isWhole: boolean }> {
  const headers = { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(client.url + contacts, { method: 'POST', headers }, (reply) => {
      const chunks: Buffer[] = [];
      const finish = (isWhole: boolean) => resolve({ headers: reply.headers, bytes: Buffer.concat(chunks), isWhole });
      reply.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        // Two kilobytes show a flood and three bytes a trickle.
        if (Buffer.concat(chunks).length > 2_000 || chunks.length > 3) sent.destroy();
      });
      reply.on('close', () => finish(reply.complete));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify({ properties: { firstname: 'Ana' } }));
  });
}

describe('replies that are hard to read', () => {
  it.each<[FaultAction, RegExp]>([
    [{ kind: 'drip', delayMs: 5 }, /^ +$/],
    [{ kind: 'huge' }, /^ {2000,}/],
    [{ kind: 'nested' }, /^\[{2000,}/],
  ])('%j', async (action, start) => {
    await client.fault({ action });
    const { bytes, isWhole } = await createUndecoded();
    expect([bytes.toString(), isWhole]).toEqual([expect.stringMatching(start), false]);
    expect(await client.records()).toHaveLength(1);
  });
});

describe('a redirect', () => {
  const location = 'http://169.254.169.254/latest/meta-data/';
  const follow = () =>
    fetch(client.url + contacts, {
      method: 'POST',
      redirect: 'manual',
      headers: { authorization: `Bearer ${client.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ properties: { firstname: 'Ana' } }),
    });

  it.each([
    [{ kind: 'redirect', location }, 302, 0],
    [{ kind: 'redirect', location, status: 307, commit: true }, 307, 1],
  ] as const)('%j', async (action, status, records) => {
    await client.fault({ action });
    const reply = await follow();
    expect([reply.status, reply.headers.get('location')]).toEqual([status, location]);
    expect(await client.records()).toHaveLength(records);
  });
});

describe('a batch whose reply leaves an input out', () => {
  it('of HubSpot', async () => {
    await client.fault({ action: { kind: 'omit', inputs: [1] } });
    const inputs = ['a', 'b', 'c'].map((firstname) => ({ properties: { firstname } }));
    const { status, body } = await client.call('POST', `${contacts}/batch/create`, { inputs });
    expect(status).toBe(201);
    expect(body.results.map((result: { properties: { firstname: string } }) => result.properties.firstname)).toEqual([
      'c',
      'a',
    ]);
    expect(await client.records()).toHaveLength(3);
  });

  it('of Salesforce', async () => {
    await org.fault({ action: { kind: 'omit', inputs: [0] } });
    const records = ['a', 'b'].map((LastName) => ({ attributes: { type: 'Contact' }, LastName }));
    const { body } = await org.call('POST', '/composite/sobjects', { records });
    expect(body).toHaveLength(1);
    expect(await org.records('Contact')).toHaveLength(2);
  });
});

describe('Salesforce, calls at once', () => {
  const slow = () => org.fault({ times: 0, action: { kind: 'slow', delayMs: 400 } });
  const settings = (more: object) =>
    org.send('POST', '/_sandbox/accounts', { name: 'acme', provider: 'salesforce', ...more });

  it('two children of one parent: one of the two finds it locked', async () => {
    const parent = await org.create('Account', { Name: 'Acme' });
    await settings({ lockContention: 1 });
    await slow();
    const child = (LastName: string) => org.call('POST', '/sobjects/Contact', { LastName, AccountId: parent });
    const [first, second] = await Promise.all([child('A'), child('B')]);
    const [refused] = [first, second].filter(({ status }) => status !== 201);
    expect(new Set([first?.status, second?.status])).toEqual(new Set([201, 400]));
    expect(refused?.body).toEqual([
      {
        message: `unable to obtain exclusive access to this record or 1 records: ${parent}`,
        errorCode: 'UNABLE_TO_LOCK_ROW',
        fields: [],
      },
    ]);
    expect((await child('C')).status).toBe(201);
    expect(await org.records('Contact')).toHaveLength(2);
    await settings({ lockContention: 0 });
  });

  it('of a collection only the records of the locked parent are refused, and one call does not lock itself out', async () => {
    const [one, other] = [await org.create('Account', { Name: 'One' }), await org.create('Account', { Name: 'Other' })];
    await settings({ lockContention: 1 });
    await slow();
    const contact = (LastName: string, AccountId: string) => ({ attributes: { type: 'Contact' }, LastName, AccountId });
    const many = (...records: object[]) => org.call('POST', '/composite/sobjects', { records });
    const [first, second] = await Promise.all([
      many(contact('A', one), contact('B', one)),
      many(contact('C', one), contact('D', other)),
    ]);
    const done = [...(first?.body ?? []), ...(second?.body ?? [])] as {
      success: boolean;
      errors: { statusCode: string }[];
    }[];
    expect(done.filter(({ success }) => success).length).toBeGreaterThanOrEqual(2);
    expect(done.filter(({ success }) => !success).map(({ errors }) => errors[0]?.statusCode)).toContain(
      'UNABLE_TO_LOCK_ROW',
    );
    await settings({ lockContention: 0 });
  });

  it('more long ones than the org may have: 403', async () => {
    await settings({ limits: { concurrentLong: 2, longAfterMs: 20 } });
    await org.fault({ times: 2, action: { kind: 'slow', delayMs: 600_000 } });
    const long = [org.call('GET', '/sobjects'), org.call('GET', '/sobjects')];
    await org.inFlight(2);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const refused = await org.call('GET', '/sobjects');
    expect([refused.status, refused.body[0].errorCode]).toEqual([403, 'REQUEST_LIMIT_EXCEEDED']);
    expect(refused.body[0].message).toMatch(/^ConcurrentRequests/);
    // Cuts what waits.
    await org.reset();
    expect((await Promise.allSettled(long)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await org.call('GET', '/sobjects')).status).toBe(200);
    await settings({ limits: { concurrentLong: 25, longAfterMs: 20_000 } });
  });
});
