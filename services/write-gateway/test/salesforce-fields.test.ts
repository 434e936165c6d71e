import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { Answer, HubspotCall } from './_fake-hubspot';
import { startGateway, type RunningGateway, type Seed } from './_gateway';

let gateway: RunningGateway;
let seed: Seed;
beforeAll(async () => {
  gateway = await startGateway();
  const objectName = 'Contact';
  seed = await gateway.seed({
    manifest: sampleManifest({
      provider: 'salesforce',
      write: { objects: [{ objectName, inheritMapping: true }] },
    }),
    config: sampleConfig({
      provider: 'salesforce',
      read: { objects: { Contact: { objectName, selectedValueMappings: { Title: { Boss: 'CEO' } } } } },
      write: {
        objects: {
          Contact: {
            objectName,
            selectedFieldSettings: {
              Phone: { writeOnUpdate: 'ifEmpty' },
              Department: { writeOnUpdate: 'never' },
              LeadSource: { default: { stringValue: 'Web' } },
            },
          },
        },
      },
    }),
  });
  seed = { ...seed, path: seed.path.replace(/contacts$/, objectName) };
});
afterAll(() => gateway.stop());
beforeEach(() => (gateway.hubspot.answer = answer));

const short = '003ak0000000001';
const long = `${short}AAA`;

/** An org with one contact whose phone is filled; it takes every write. */
function answer({ method, path, body }: HubspotCall): Answer {
  const made = { id: long, success: true, errors: [] };
  const { records } = (body ?? {}) as { records?: readonly unknown[] };
  const contact = { attributes: { type: 'Contact' }, Id: long, Phone: '1' };
  if (method === 'PATCH') {
    return path.includes('composite')
      ? { status: 200, body: records?.map(() => made) }
      : { status: 204, body: undefined };
  }
  if (path.includes('query')) return { status: 200, body: { totalSize: 1, done: true, records: [contact] } };
  if (path.includes('composite')) return { status: 200, body: [contact] };
  return { status: 201, body: made };
}

const callsOf = async (work: () => Promise<unknown>) => {
  const before = gateway.hubspot.calls.length;
  await work();
  return gateway.hubspot.calls.slice(before);
};
const planOf = async (body: object) => {
  const reply = await gateway
    .post(`${seed.path}?dryRun=true`)
    .set('x-api-key', seed.key)
    .send({ groupRef: seed.groupRef, ...body })
    .expect(200);
  return (reply.body as { plan: { field: string; value: unknown; sent: boolean; reason: string }[] }).plan;
};

// What the dry run calls sent is what the provider gets.
describe('names that Salesforce keeps for itself', () => {
  const attributes = { type: 'User' };

  it('are planned as left out, with the reason, and not sent', async () => {
    const record = { id: long, Id: '005x', attributes, LastName: 'a' };
    const plan = await planOf({ type: 'update', record });
    expect(plan).toEqual([
      expect.objectContaining({ field: 'Id', sent: false, reason: expect.stringContaining('salesforce') }),
      expect.objectContaining({ field: 'attributes', sent: false }),
      expect.objectContaining({ field: 'LastName', sent: true }),
      expect.objectContaining({ field: 'LeadSource', sent: true }),
    ]);
    const [call] = await callsOf(() => gateway.write(seed, { type: 'update', record }).expect(200));
    expect(call?.body).toEqual({ LastName: 'a', LeadSource: 'Web' });
  });

  it('alone: an update succeeds without a call, a create is 400', async () => {
    const bare = await gateway.seed({
      manifest: sampleManifest({ provider: 'salesforce', write: { objects: [{ objectName: 'Contact' }] } }),
      config: sampleConfig({ provider: 'salesforce' }),
    });
    const plain = { ...bare, path: bare.path.replace(/contacts$/, 'Contact') };
    const calls = await callsOf(async () => {
      const update = { type: 'update', record: { id: long, ID: long, Attributes: attributes } };
      expect((await gateway.write(plain, update).expect(200)).body).toMatchObject({ result: { success: true } });
      const reply = await gateway.write(plain, { type: 'create', record: { attributes } }).expect(400);
      expect(reply.body).toMatchObject({ code: 'write.nothing-to-write' });
    });
    expect(calls).toEqual([]);
  });
});

// 15 characters, or the same with a checksum of three: one record.
describe('both forms of an id', () => {
  const batch = [short, long].map((id) => ({ record: { id, LastName: id } }));

  it('are one record: a synchronous and an all-or-none batch hold it once', async () => {
    for (const more of [{}, { mode: 'asynchronous', batchPolicy: { allOrNone: true } }]) {
      const reply = await gateway.write(seed, { type: 'update', batch, ...more }).expect(400);
      expect(reply.body).toMatchObject({ issues: [{ name: 'batch[1].record.id' }] });
    }
  });
});

// Joined, an object would be the text "[object Object]", and "a;b" would be two values.
describe('a list', () => {
  it.each<[string, unknown[], string]>([
    ['an object', [{ a: 1 }], '[0]'],
    ['null', [null, 'a'], '[0]'],
    ['a list', ['a', ['b', 'c']], '[1]'],
    ['the separator', ['c', 'a;b'], '[1]'],
    ['an empty text', ['a', ''], '[1]'],
  ])('with %s: 400, also for a dry run; nothing is sent', async (_, Skills__c, at) => {
    const body = { type: 'create', record: { LastName: 'a', Skills__c } };
    const calls = await callsOf(async () => {
      for (const query of ['', '?dryRun=true']) {
        const reply = await gateway
          .post(`${seed.path}${query}`)
          .set('x-api-key', seed.key)
          .send({ groupRef: seed.groupRef, ...body })
          .expect(400);
        expect(reply.body).toMatchObject({
          code: 'request.invalid',
          issues: [{ name: `record.Skills__c${at}`, detail: expect.stringContaining('";"') }],
        });
      }
    });
    expect(calls).toEqual([]);
  });
});
