import { sampleConfig, sampleManifest } from '@sluice/testkit';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway();
let seed: Seed;
beforeEach(async () => {
  seed = await seedWith(['position', 'größe']);
});

/** The builder asks the customer to choose a field for each name; this one chose none. */
const seedWith = (names: readonly string[]) =>
  gateway.seed({
    manifest: sampleManifest({
      read: { objects: [{ objectName: 'contacts', optionalFields: names.map((mapToName) => ({ mapToName })) }] },
      write: { objects: [{ objectName: 'contacts', inheritMapping: true }] },
    }),
    config: sampleConfig({ read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: {} } } } }),
  });
const record = { email: 'zoe@example.com', position: 'CTO', größe: 'L' };
const warning = 'not written, because the customer chose no field for them: position, gr%C3%B6%C3%9Fe';
const asynchronous = { type: 'create', mode: 'asynchronous', record };

// What a builder sends and nobody stores must be seen where it is sent.
describe('Sluice-Warning names the mapped names that the customer chose no field for', () => {
  it.each([
    ['a synchronous create', { type: 'create', record }],
    ['an update', { type: 'update', record: { id: '7', ...record } }],
    ['an update of which nothing is left', { type: 'update', record: { id: '7', position: 'CTO', größe: 'L' } }],
    ['a batch, each once', { type: 'create', batch: [{ record }, { record: { ...record, email: 'b@example.com' } }] }],
    ['an asynchronous write', asynchronous],
    ['an auto-batched one', { ...asynchronous, autoBatchPolicy: { maxDelayMinutes: 5 } }],
  ])('%s', async (_case, body) => {
    const reply = await gateway.write(seed, body).expect(200);
    expect(reply.headers['sluice-warning']).toBe(warning);
    for (const call of gateway.hubspot.calls) expect(JSON.stringify(call.body)).not.toContain('CTO');
  });

  it('also beside a refusal of the provider', async () => {
    gateway.hubspot.answer = () => ({ status: 400, body: { status: 'error', category: 'VALIDATION_ERROR' } });
    const reply = await gateway.write(seed, { type: 'create', record }).expect(422);
    expect(reply.headers['sluice-warning']).toBe(warning);
  });

  it('behind the operations that it overtook', async () => {
    const update = { type: 'update', record: { id: '42', ...record } };
    const queued = await gateway.write(seed, { ...update, mode: 'asynchronous' }).expect(200);
    const reply = await gateway.write(seed, update).expect(200);
    const { operationId } = queued.body as { operationId: string };
    expect(reply.headers['sluice-warning']).toBe(
      `queued asynchronous writes to this record were overtaken: ${operationId}; ${warning}`,
    );
  });

  it('again for a repeated key of a synchronous write', async () => {
    const send = () => gateway.write(seed, { type: 'create', record }).set('idempotency-key', 'k').expect(200);
    await send();
    const again = await send();
    expect(again.headers['idempotent-replayed']).toBe('true');
    expect(again.headers['sluice-warning']).toBe(warning);
  });

  it('at most twenty, long ones cut', async () => {
    const names = Array.from({ length: 22 }, (_, at) => `n${at}${'x'.repeat(at === 0 ? 100 : 1)}`);
    const many = await seedWith(names);
    const values = Object.fromEntries(names.map((name) => [name, 1]));
    const reply = await gateway
      .write(many, { type: 'create', record: { email: 'a@example.com', ...values } })
      .expect(200);
    const text = reply.headers['sluice-warning'];
    expect(text).toMatch(/: n0x{58}\.\.\., n1x, .*, n19x and 2 more$/);
  });
});

it('there is no warning where every name leads to a field, or where it was not sent', async () => {
  for (const body of [
    { type: 'create', record: { email: 'a@example.com' } },
    { ...asynchronous, record: { email: 'b@example.com' } },
  ]) {
    expect((await gateway.write(seed, body).expect(200)).headers).not.toHaveProperty('sluice-warning');
  }
  const plain = await gateway.seed();
  const reply = await gateway.write(plain, { type: 'create', record }).expect(200);
  expect(reply.headers).not.toHaveProperty('sluice-warning');
});
