import { request } from 'node:http';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { startOrg, type OrgClient } from './salesforce-client';
import { contacts, rawCreate, startClient, type Client } from './sandbox-client';

let client: Client;
let org: OrgClient;
beforeAll(async () => {
  client = await startClient({}, { limits: { perTenSeconds: 0 } });
  org = await startOrg();
});
afterAll(() => Promise.all([client.close(), org.close()]));
beforeEach(() => Promise.all([client.reset(), org.reset()]));

const create = () => client.call('POST', contacts, { properties: { firstname: 'Ana' } });

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
  it.each([
    ['gzip', gunzipSync],
    ['deflate', inflateSync],
    ['br', brotliDecompressSync],
  ] as const)('compressed with %s although nobody asked', async (encoding, decode) => {
    await client.fault({ action: { kind: 'dress', encoding } });
    const { headers, bytes } = await createUndecoded();
    expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(bytes.length) });
    expect(JSON.parse(decode(bytes).toString())).toMatchObject({ properties: { firstname: 'Ana' } });
  });

  it('called gzip, and none', async () => {
    await client.fault({ action: { kind: 'dress', encoding: 'broken' } });
    const { headers, bytes } = await createUndecoded();
    expect(headers['content-encoding']).toBe('gzip');
    expect(() => gunzipSync(bytes)).toThrow('incorrect header');
    expect(await client.records()).toHaveLength(1);
  });

  it('of another content type', async () => {
    await client.fault({ action: { kind: 'dress', contentType: 'text/html' } });
    const answer = await create();
    expect([answer.status, answer.headers.get('content-type')]).toEqual([201, 'text/html']);
    expect(JSON.parse(String(answer.body))).toMatchObject({ properties: { firstname: 'Ana' } });
  });

  it('one byte at a time', async () => {
    await client.fault({ action: { kind: 'drip', delayMs: 5 } });
    const { bytes, isWhole } = await createUndecoded();
    expect([bytes.toString().trim(), isWhole]).toEqual(['', false]);
    expect(await client.records()).toHaveLength(1);
  });

  it('huge', async () => {
    await client.fault({ action: { kind: 'huge' } });
    const { bytes, isWhole } = await createUndecoded();
    expect(bytes.length).toBeGreaterThan(2_000);
    expect(isWhole).toBe(false);
  });

  it('nested', async () => {
    await client.fault({ action: { kind: 'nested' } });
    const { bytes } = await createUndecoded();
    expect(bytes.toString()).toMatch(/^\[+$/);
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

  it('before anything happened', async () => {
    await client.fault({ action: { kind: 'redirect', location } });
    const reply = await follow();
    expect([reply.status, reply.headers.get('location')]).toEqual([302, location]);
    expect(await client.records()).toEqual([]);
  });

  it('after it happened', async () => {
    await client.fault({ action: { kind: 'redirect', location, status: 307, commit: true } });
    expect((await follow()).status).toBe(307);
    expect(await client.records()).toHaveLength(1);
  });
});

it('a connection that was idle is closed without a word', async () => {
  await client.fault({ action: { kind: 'close-idle', delayMs: 20 } });
  const { text } = await rawCreate(client);
  expect(text).toMatch(/^HTTP\/1.1 201 Created/);
  expect(text).not.toMatch(/connection: close/i);
});

describe('a batch whose reply leaves an input out', () => {
  it('of HubSpot', async () => {
    await client.fault({ action: { kind: 'omit', inputs: [1] } });
    const inputs = ['a', 'b', 'c'].map((firstname) => ({ properties: { firstname } }));
    const { status, body } = await client.call('POST', `${contacts}/batch/create`, { inputs });
    expect(status).toBe(201);
    expect(body.results.map((result: { properties: { firstname: string } }) => result.properties.firstname)).toEqual([
      'a',
      'c',
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
    const long = [org.call('GET', '/limits'), org.call('GET', '/limits')];
    await org.inFlight(2);
    await new Promise((resolve) => setTimeout(resolve, 40));
    const refused = await org.call('GET', '/limits');
    expect([refused.status, refused.body[0].errorCode]).toEqual([403, 'REQUEST_LIMIT_EXCEEDED']);
    expect(refused.body[0].message).toMatch(/^ConcurrentRequests/);
    // Cuts what waits.
    await org.reset();
    expect((await Promise.allSettled(long)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect((await org.call('GET', '/limits')).status).toBe(200);
    await settings({ limits: { concurrentLong: 25, longAfterMs: 20_000 } });
  });
});

it('may take as long as at a provider', async () => {
  await org.fault({ times: 0, action: { kind: 'slow', delayMs: 'typical' } });
  for (let n = 0; n < 4; n++) await org.call('GET', '/limits');
  const took = (await org.ledger()).map(({ tookMs }) => tookMs);
  // The median is 60 ms; that four in a row take less than 10 has no chance, on whatever machine.
  expect(Math.max(...took)).toBeGreaterThan(10);
});
