import { createLogger } from '@sluice/telemetry';
import { hubspotRefusal, until } from '@sluice/testkit';
import { Writable } from 'node:stream';
import type { Answer, HubspotCall } from './_fake-hubspot';
import { useGateway, type Seed } from './_gateway';

const lines: Record<string, unknown>[] = [];
const destination = new Writable({
  write: (chunk, _encoding, done) => {
    lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
    done();
  },
});
const gateway = useGateway({ logger: createLogger({ service: 'write-gateway', destination }) });
let seed: Seed;
beforeEach(async () => {
  lines.length = 0;
  seed = await gateway.seed();
});

const sentence = 'the sentence of the provider';
const refusal = hubspotRefusal(400, { category: 'VALIDATION_ERROR', message: sentence });
const update = { type: 'update', record: { id: '42', city: 'city-of-the-customer' } };
const batchOf = (...cities: string[]) => cities.map((city, at) => ({ record: { email: `r${at}@x.com`, city } }));
const ends = () => lines.filter(({ event }) => event === 'operation.ended');

async function expectEnd(reply: { body: unknown }, expected: object): Promise<void> {
  const { operationId } = reply.body as { operationId: string };
  const line = await until('the end is logged', () => Promise.resolve(ends()[0]));
  const { projectId, groupRef } = seed;
  expect(line).toMatchObject({ level: 'info', operationId, projectId, groupRef, provider: 'hubspot', ...expected });
  expect(ends()).toHaveLength(1);
  expect(JSON.stringify(lines)).not.toMatch(/the sentence of the provider|city-of-the-customer|@x\.com/);
}

// Guide, Traces and logs, "Why a write failed": the logs alone say why, of a synchronous write as of an asynchronous one.
describe('the line operation.ended of a synchronous write that failed says whose, which and why, without its values', () => {
  it.each<[string, number, Answer, object]>([
    ['refused', 422, refusal, { class: 'rejected', answered: 400 }],
    ['without quota', 429, hubspotRefusal(429), { class: 'quota', answered: 429 }],
    ['refused credentials', 409, hubspotRefusal(401), { class: 'credentials', answered: 401 }],
  ])('%s', async (_name, status, answer, expected) => {
    gateway.hubspot.answer = () => answer;
    await expectEnd(await gateway.write(seed, update).expect(status), { status: 'failure', ...expected });
  });

  // HubSpot, "Property validation": the body lists each property with its code, and quotes the value in its sentence.
  it("names the object, the caller's ref, and the first problem by code and field", async () => {
    const message = `Property values were not valid: [{"isValid":false,"message":"${sentence}","error":"INVALID_EMAIL","name":"email"}]`;
    gateway.hubspot.answer = () => hubspotRefusal(400, { category: 'VALIDATION_ERROR', message });
    const reply = await gateway.write(seed, update).set('sluice-record-ref', 'crm-17').expect(422);
    const problem = { code: 'INVALID_EMAIL', field: 'email' };
    await expectEnd(reply, { status: 'failure', objectName: 'contacts', ref: 'crm-17', ...problem });
  });

  it('of unknown outcome, without a reply', async () => {
    gateway.hubspot.answer = () => 'hang-up';
    await expectEnd(await gateway.write(seed, update).expect(502), { status: 'failure', class: 'unknown' });
    expect(ends()[0]).not.toHaveProperty('answered');
  });

  it('a batch of which every record is refused', async () => {
    gateway.hubspot.answer = () => refusal;
    const reply = await gateway.write(seed, { type: 'create', batch: batchOf('bad', 'bad') }).expect(422);
    await expectEnd(reply, { status: 'failure', class: 'rejected', answered: 400 });
  });

  // The call that ends the operation is the one of the good record, which comes last.
  it('a batch of which one record is refused', async () => {
    const take = gateway.hubspot.answer;
    const isBad = ({ body }: HubspotCall) => JSON.stringify(body).includes('"bad"');
    gateway.hubspot.answer = (call) => (isBad(call) ? refusal : take(call));
    const reply = await gateway.write(seed, { type: 'create', batch: batchOf('bad', 'Bern') }).expect(200);
    await expectEnd(reply, { status: 'success', class: 'rejected', answered: 400 });
  });
});

it('of one that succeeds there is none', async () => {
  await gateway.write(seed, update).expect(200);
  await gateway.write(seed, { type: 'create', batch: batchOf('Bern', 'Basel') }).expect(200);
  expect(ends()).toEqual([]);
});
