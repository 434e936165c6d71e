import { hubspotRefusal } from '@sluice/testkit';
import type { BatchWriteReply } from '@sluice/types';
import type { Answer, HubspotCall } from './_fake-hubspot';
import { useGateway, type Seed } from './_gateway';

const gateway = useGateway({ env: { SLUICE_CALL_TIMEOUT_MS: '20000' } });
let seed: Seed;
let take: (call: HubspotCall) => Answer | Promise<Answer>;
beforeEach(async () => {
  take = gateway.hubspot.answer;
  gateway.hubspot.answer = refusingBad;
  seed = await gateway.seed();
});

const isBad = ({ body }: HubspotCall) =>
  [body.properties, ...(body.inputs ?? []).map(({ properties }) => properties)].some(
    (each) => each?.['city'] === 'bad',
  );
const refusingBad = (call: HubspotCall): Answer | Promise<Answer> =>
  isBad(call) ? hubspotRefusal(400, { category: 'VALIDATION_ERROR', message: 'one of them is bad' }) : take(call);
const batchOf = (count: number, ...bad: number[]) =>
  Array.from({ length: count }, (_, at) => ({
    record: { email: `r${at}@x.com`, city: bad.includes(at) ? 'bad' : 'Bern' },
  }));
const emailsOf = ({ body }: HubspotCall) =>
  (body.inputs ?? [{ properties: body.properties ?? {} }]).map(({ properties }) => String(properties['email']));
const written = () => gateway.hubspot.calls.filter((call) => !isBad(call)).flatMap(emailsOf);
const callsOf = (operationId: string) =>
  gateway.database('calls').where({ operation_id: operationId }).orderBy('number') as Promise<
    { number: number; state: string; attempts: number }[]
  >;

// Specification, batchPolicy: successful records are committed even if others fail.
it('2 bad of 100: the others are written once, and the reply has them all in order', async () => {
  const reply = await gateway.write(seed, { type: 'create', batch: batchOf(100, 13, 77) }).expect(200);
  const { successCount, failureCount, results, operationId } = reply.body as BatchWriteReply;
  expect([successCount, failureCount]).toEqual([98, 2]);
  const failed = results.flatMap(({ success }, at) => (success ? [] : [at]));
  expect(failed).toEqual([13, 77]);
  expect(results[13]).toMatchObject({ errors: [{ message: expect.stringContaining('one of them is bad') }] });
  expect(results[14]).toMatchObject({ success: true, data: { properties: { email: 'r14@x.com' } } });
  expect(written().toSorted()).toEqual(
    batchOf(100)
      .map(({ record }) => record.email)
      .filter((email) => email !== 'r13@x.com' && email !== 'r77@x.com')
      .toSorted(),
  );
  const sent = gateway.hubspot.calls.length;
  expect(sent).toBeLessThanOrEqual(2 * 2 * 7 + 1);
  const calls = await callsOf(operationId);
  expect(calls.map(({ state }) => state)).toEqual(calls.map(() => 'done'));
  expect(calls).toHaveLength(sent);
  const attempts = await gateway.database('attempts').where({ operation_id: operationId }).whereNotNull('finished_at');
  expect(attempts).toHaveLength(sent);
  expect(await gateway.context.store.operations.find(seed.projectId, operationId)).toMatchObject({
    status: 'success',
    result: expect.stringContaining('(98 succeeded, 2 failed)'),
  });
});

// What a caller waits for begins small too, and a batch of the other type as well: its triggers are those of the object.
it('a batch that is too large is divided until it passes, and the next begins with what passed', async () => {
  gateway.hubspot.answer = (call) =>
    (call.body.inputs ?? []).length > 10 ? hubspotRefusal(413, { message: 'Request Entity Too Large' }) : take(call);
  const reply = await gateway.write(seed, { type: 'create', batch: batchOf(40) }).expect(200);
  expect((reply.body as BatchWriteReply).successCount).toBe(40);
  const sizes = () => gateway.hubspot.calls.map((call) => emailsOf(call).length);
  expect(sizes()).toEqual([40, 10, 10, 10, 10]);
  expect(new Set(gateway.hubspot.calls.slice(1).flatMap(emailsOf)).size).toBe(40);

  const later = batchOf(25).map(({ record }) => ({ record: { ...record, email: `later-${record.email}` } }));
  const next = await gateway.write(seed, { type: 'create', batch: later }).expect(200);
  const { successCount, results, operationId } = next.body as BatchWriteReply;
  expect([successCount, results.length]).toEqual([25, 25]);
  expect(sizes().slice(5)).toEqual([9, 9, 7]);
  const attempts = await gateway.database('attempts').where({ operation_id: operationId });
  expect(attempts.filter(({ finished_at }) => finished_at !== null)).toHaveLength(3);
  expect((await callsOf(operationId)).map(({ state }) => state)).toEqual(['done', 'done', 'done', 'done']);
});

it('a repeat with its Idempotency-Key has the same reply, and nothing is sent again', async () => {
  const body = { type: 'create', batch: batchOf(5, 2) };
  const first = await gateway.write(seed, body).set('Idempotency-Key', 'k-halves').expect(200);
  const sent = gateway.hubspot.calls.length;
  const second = await gateway.write(seed, body).set('Idempotency-Key', 'k-halves').expect(200);
  expect(second.body).toEqual(first.body);
  expect(second.headers['idempotent-replayed']).toBe('true');
  expect(gateway.hubspot.calls).toHaveLength(sent);
});

it('every record bad: 422, each with its own refusal', async () => {
  const reply = await gateway.write(seed, { type: 'create', batch: batchOf(3, 0, 1, 2) }).expect(422);
  expect(reply.body).toMatchObject({ successCount: 0, failureCount: 3 });
  expect(gateway.hubspot.calls.map((call) => emailsOf(call).length)).toEqual([3, 2, 1, 1, 1]);
});

describe('what ends the sending is the outcome of what was not sent', () => {
  const batch = batchOf(4, 3);

  async function expectHalfWritten(message: RegExp): Promise<void> {
    const reply = await gateway.write(seed, { type: 'create', batch }).expect(200);
    const { results, operationId } = reply.body as BatchWriteReply;
    expect(results.map(({ success }) => success)).toEqual([true, true, false, false]);
    for (const at of [2, 3]) expect(results[at]?.errors?.[0]?.message).toMatch(message);
    expect(written()).toEqual(['r0@x.com', 'r1@x.com']);
    expect((await callsOf(operationId)).map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    const records = await gateway.context.store.operations.listRecords(seed.projectId, operationId);
    expect(records.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'failed', 'failed']);
  }

  it('a blocked account', async () => {
    gateway.hubspot.answer = (call) =>
      gateway.hubspot.calls.length <= 2
        ? refusingBad(call)
        : hubspotRefusal(429, { policyName: 'SECONDLY', message: 'slow' });
    await expectHalfWritten(/slow/);
    expect(gateway.hubspot.calls).toHaveLength(3);
  });

  it('a spent quota', async () => {
    const headers = { 'X-HubSpot-RateLimit-Max': '2', 'X-HubSpot-RateLimit-Interval-Milliseconds': '10000' };
    gateway.hubspot.answer = async (call) => {
      const answer = await refusingBad(call);
      return typeof answer === 'string' ? answer : { ...answer, headers };
    };
    await expectHalfWritten(/^Not sent: the customer's provider quota is used up\.$/);
    expect(gateway.hubspot.calls).toHaveLength(2);
  });

  it('a manifest that changes in between: what was planned on it is not sent', async () => {
    gateway.hubspot.answer = async (call) => {
      if (gateway.hubspot.calls.length === 2) {
        await gateway
          .database('integrations')
          .where({ id: seed.integrationId })
          .update({ latest_revision_id: 'newer' });
      }
      return refusingBad(call);
    };
    await expectHalfWritten(/^Not sent/);
  });
});
