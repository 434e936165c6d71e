import { until } from '@sluice/testkit';
import type { Answer } from './_fake-hubspot';
import { useGateway } from './_gateway';

const gateway = useGateway({ env: { SLUICE_CALL_TIMEOUT_MS: '20000' } });

const update = (id: string, city: string) => ({ type: 'update', record: { id, city } });
const citiesSent = () => gateway.hubspot.calls.map(({ body }) => body.properties?.['city']);

/** Holds back the reply to the update that sends this city, until let go. */
function holdBack(city: string): () => void {
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => (letGo = resolve));
  const answer = gateway.hubspot.answer;
  gateway.hubspot.answer = async (call): Promise<Answer> => {
    if (call.body.properties?.['city'] === city) await held;
    return await answer(call);
  };
  return letGo;
}

// A synchronous write waits only for a call that is executing on the same record at this moment.
it('a second update of the record waits for the first one, then goes; other records do not wait', async () => {
  const seed = await gateway.seed();
  const letGo = holdBack('first');
  const first = gateway.write(seed, update('1', 'first')).then((reply) => reply);
  await until('the first call', () => citiesSent().includes('first') || undefined);
  const second = gateway.write(seed, update('1', 'second')).then((reply) => reply);
  const whole = {
    type: 'update',
    batch: [{ record: { id: '2', city: 'third' } }, { record: { id: '1', city: 'third' } }],
  };
  const third = gateway.write(seed, whole).then((reply) => reply);
  await gateway.write(seed, update('3', 'other')).expect(200);
  expect(citiesSent()).toEqual(['first', 'other']);
  letGo();
  expect([(await first).status, (await second).status, (await third).status]).toEqual([200, 200, 200]);
  expect(gateway.hubspot.calls).toHaveLength(4);
});

it('409 after ten seconds: nothing written, and it may be sent again', async () => {
  const seed = await gateway.seed();
  const letGo = holdBack('slow');
  const slow = gateway.write(seed, update('9', 'slow')).then((reply) => reply);
  await until('the slow call', () => citiesSent().includes('slow') || undefined);
  const rows = await gateway.countRows();
  const reply = await gateway.write(seed, update('9', 'late')).expect(409);
  expect(reply.type).toBe('application/problem+json');
  expect(reply.body).toMatchObject({ code: 'write.record-busy', retryable: true, remedy: expect.any(String) });
  expect(reply.headers['retry-after']).toBe('1');
  expect(await gateway.countRows()).toEqual(rows);
  expect(gateway.hubspot.calls).toHaveLength(1);
  letGo();
  expect((await slow).status).toBe(200);
});

it('overtakes queued asynchronous writes to the record, and names them', async () => {
  const seed = await gateway.seed();
  const queued = await gateway.write(seed, { ...update('5', 'queued'), mode: 'asynchronous' }).expect(200);
  await gateway.write(seed, { ...update('6', 'elsewhere'), mode: 'asynchronous' }).expect(200);
  const { operationId } = queued.body as { operationId: string };
  const reply = await gateway.write(seed, update('5', 'now')).expect(200);
  expect(reply.headers['sluice-warning']).toContain(operationId);
  const free = await gateway.write(seed, update('50', 'now')).expect(200);
  expect(free.headers).not.toHaveProperty('sluice-warning');
});

// An executor that met the running call put its own aside; nobody but the end of the synchronous one sets it going again.
it('announces the asynchronous write that waited for it', async () => {
  const seed = await gateway.seed();
  const letGo = holdBack('now');
  const now = gateway.write(seed, update('8', 'now')).then((reply) => reply);
  await until('the call', () => citiesSent().includes('now') || undefined);
  const queued = await gateway.write(seed, { ...update('8', 'queued'), mode: 'asynchronous' }).expect(200);
  const { operationId } = queued.body as { operationId: string };
  const announced = () => gateway.announced.ready.filter((write) => write.operationId === operationId);
  await until('the first announcement', () => announced()[0]);
  await gateway.database('calls').where({ operation_id: operationId }).update({ state: 'waiting' });
  letGo();
  expect((await now).status).toBe(200);
  const [first, again] = await until('another one', () => (announced().length === 2 ? announced() : undefined));
  expect(again).toEqual({ ...first, acceptedAt: expect.any(String) });
  const [call] = await gateway.database('calls').where({ operation_id: operationId }).select('state');
  expect(call).toEqual({ state: 'ready' });
});
