import type { ClaimedMessage, EndpointKey } from '@sluice/store';
import { until } from '@sluice/testkit';
import type { WebhookFilter } from '@sluice/types';
import { findDueEndpoints } from '../src/webhooks/claim-messages';
import { isNotified, notifyEnded } from '../src/webhooks/notify';
import { lockOrderKeys } from '../src/writes/order-queue';
import { rowsRead } from './rows-read';
import { delivered, failed, search, useWebhookFixture } from './webhook-fixture';

// What many waiting messages must not do: stand in the way of a deactivation, of a deletion, or of the others' deliveries.
const fixture = useWebhookFixture();

const waitMs = 30_000;

const addEndpoint = (eventTypes: readonly WebhookFilter[] = ['connection.*']) => fixture.addEndpoint(eventTypes);

const fill = async ({ projectId, endpointId }: EndpointKey, n: number) =>
  await fixture.database.raw(
    `insert into webhook_messages (project_id, endpoint_id, id, type, payload)
     select ?, ?, 'm' || n, 'endpoint.test', '{}' from generate_series(1, ?::integer) n`,
    [projectId, endpointId, n],
  );
const messagesOf = ({ projectId, endpointId }: EndpointKey) =>
  fixture.database('webhook_messages').where({ project_id: projectId, endpoint_id: endpointId });
const countOf = async (key: EndpointKey, state: string) =>
  (await messagesOf(key).where({ state }).select<{ id: string }[]>('id')).length;
const isDisabled = async (key: EndpointKey) =>
  (await fixture.store.webhookEndpoints.find(key))?.status === 'disabled' || undefined;
const disable = (key: EndpointKey) => fixture.store.webhookEndpoints.update(key, { status: 'disabled' });
const claimOne = async (key: EndpointKey): Promise<ClaimedMessage> => {
  const claim = { endpoints: [key], perEndpoint: 1, inFlightMax: 4, leaseMs: 60_000 };
  const [claimed] = await fixture.store.webhookMessages.claim(claim);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return claimed;
};
/** Until somebody waits for a lock of this fixture.database. */
const untilBlocked = () =>
  until(
    'a statement waits for a lock',
    async () => {
      const { rows } = await fixture.database.raw<{ rows: object[] }>(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows[0];
    },
    waitMs,
  );
/** Runs `during` while the first of an endpoint's messages that are waiting is locked. */
async function whileLocked(key: EndpointKey, during: () => Promise<unknown>): Promise<void> {
  await fixture.database.transaction(async (transaction) => {
    await transaction('webhook_messages')
      .where({ project_id: key.projectId, endpoint_id: key.endpointId })
      .whereNull('lease_until')
      .select('id')
      .forUpdate();
    await during();
  });
}

describe('an endpoint is disabled whatever waits for it', () => {
  it('by request', async () => {
    const key = await addEndpoint();
    await fill(key, 2_500);
    let update: Promise<unknown> | undefined;
    await whileLocked(key, async () => {
      update = disable(key);
      await until('it is disabled', () => isDisabled(key), waitMs);
    });
    await update;
    expect([await countOf(key, 'failed'), await countOf(key, 'pending')]).toEqual([2_500, 0]);
  });

  it('by a week of failures; its message has failed with the attempt, and the others hear nothing of its address', async () => {
    const key = await addEndpoint();
    const other = await addEndpoint(['endpoint.disabled']);
    await fill(key, 2_500);
    const claimed = await claimOne(key);
    await fixture
      .database('webhook_endpoints')
      .where({ id: key.endpointId })
      .update({ failing_since: fixture.database.raw(`now() - interval '8 days'`) });
    let settled: Promise<unknown> | undefined;
    await whileLocked(key, async () => {
      settled = fixture.store.webhookMessages.settle(claimed, failed);
      await until('it is disabled', () => isDisabled(key), waitMs);
      expect(await countOf(key, 'failed')).toBe(1);
    });
    expect(await settled).toEqual({ disabled: 'failing', ended: 'failed' });
    expect([await countOf(key, 'failed'), await countOf(key, 'pending')]).toEqual([2_500, 0]);
    const [message] = await messagesOf(other).select<{ payload: string }[]>('payload');
    expect(JSON.parse(message?.payload ?? '')).toMatchObject({ notificationType: 'endpoint.disabled' });
    expect((JSON.parse(message?.payload ?? '') as { data: object }).data).toEqual({ ...key, reason: 'failing' });
  });

  it('and what is written by who did not see it is given up later, and nothing of an endpoint that is enabled', async () => {
    const [key, other] = [await addEndpoint(), await addEndpoint()];
    await disable(key);
    await fill(key, 3);
    await fill(other, 3);
    const giveUp = (limit: number) => fixture.store.webhookMessages.giveUp(limit);
    expect([await giveUp(2), await giveUp(2), await giveUp(2)]).toEqual([2, 1, 0]);
    expect([await countOf(key, 'failed'), await countOf(other, 'pending')]).toEqual([3, 3]);
    const [ended] = await messagesOf(key).select<{ ended_at: Date | null }[]>('ended_at');
    expect(ended?.ended_at).toBeInstanceOf(Date);
  });
});

it('a message is deleted with its attempts while one of them ends: both come through', async () => {
  const key = await addEndpoint();
  await fill(key, 1);
  const claimed = await claimOne(key);
  let settled: Promise<unknown> | undefined;
  await fixture.database.transaction(async (transaction) => {
    await transaction('webhook_messages').where({ endpoint_id: key.endpointId }).delete();
    settled = fixture.store.webhookMessages.settle(claimed, delivered);
    await untilBlocked();
    await transaction('webhook_attempts').where({ endpoint_id: key.endpointId }).delete();
  });
  expect(await settled).toEqual({});
});

// The settlement reads the endpoints as they are when it begins, which is before it has the lock of the key.
it('an endpoint that is deleted while a settlement waits for its key: the message of that goes with the next purge', async () => {
  const key = await addEndpoint(['write.async.done']);
  // From its first notification on, the ends of a project are settled by the statement that writes notifications.
  await fixture.accept();
  await fixture.settleAll(await fixture.claimOne());
  const update = await fixture.accept({ type: 'update', records: [{ recordId: '1' }] });
  const call = await fixture.claimOne();
  let settled: Promise<unknown> | undefined;
  await fixture.connect().transaction(async (holding) => {
    await lockOrderKeys(
      holding,
      update.records.flatMap(({ orderKey }) => orderKey ?? []),
    );
    settled = fixture.settleAll(call);
    await untilBlocked();
    expect(await fixture.store.webhookEndpoints.remove(key)).toBe(true);
  });
  await settled;
  expect(await countOf(key, 'pending')).toBe(1);
  expect(await fixture.store.webhookMessages.purge(30, 10)).toBe(1);
  expect(await countOf(key, 'pending')).toBe(0);
});

it('the projects that a process has notified are forgotten beyond 10,000', async () => {
  const notify = (from: number, to: number) =>
    fixture.database.transaction((transaction) =>
      notifyEnded(
        transaction,
        Array.from({ length: to - from }, (_, at) => ({ projectId: `p${from + at}`, operationId: 'o' })),
      ),
    );
  const known = () => [0, 9_999, 10_000, 10_001].map((at) => isNotified(`p${at}`));
  await notify(0, 10_001);
  expect(known()).toEqual([true, true, true, false]);
  await notify(10_001, 10_002);
  expect(known()).toEqual([false, false, false, true]);
});

it('what is under way is counted without reading what waits', async () => {
  const key = await addEndpoint();
  await fill(key, 20_000);
  await claimOne(key);
  await fixture.database.raw('vacuum analyze webhook_messages');
  const read = await rowsRead(fixture.database, async (inside) =>
    expect(await findDueEndpoints(inside, search)).toHaveLength(1),
  );
  expect(read).toBeLessThan(2_000);
});

it('an endpoint that gets another address begins without failures', async () => {
  const key = await addEndpoint();
  await fill(key, 1);
  await fixture.store.webhookMessages.settle(await claimOne(key), failed);
  const described = await fixture.store.webhookEndpoints.update(key, { description: 'the same address' });
  expect(described).toHaveProperty('failingSince');
  const readdressed = await fixture.store.webhookEndpoints.update(key, { url: 'https://other.example.com/' });
  expect(readdressed).not.toHaveProperty('failingSince');
});

it('what waits for an endpoint that fails makes nothing late', async () => {
  const [failing, well] = [await addEndpoint(), await addEndpoint()];
  await fill(failing, 2);
  await fixture.store.webhookMessages.settle(await claimOne(failing), failed);
  const age = (key: EndpointKey, hours: number) =>
    messagesOf(key).update({ not_before: fixture.database.raw(`now() - make_interval(hours => ?::integer)`, [hours]) });
  await age(failing, 2);
  expect(await fixture.store.webhookMessages.lateness()).toEqual({ oldestDue: 0, longestUnserved: 0 });
  await fill(well, 1);
  await age(well, 1);
  const { oldestDue } = await fixture.store.webhookMessages.lateness();
  expect([oldestDue >= 3_600, oldestDue < 7_200]).toEqual([true, true]);
});

describe('a receiver that comes back to a long backlog', () => {
  const unservedSeconds = async () => (await fixture.store.webhookMessages.lateness()).longestUnserved;
  const servedAt = async (key: EndpointKey) =>
    (await fixture.database('webhook_endpoints').where({ id: key.endpointId }).pluck('served_at')) as [Date];
  /** Its messages came due an hour ago; one failed then, and one is delivered now. */
  async function comeBack(): Promise<EndpointKey> {
    const key = await addEndpoint();
    await fill(key, 20);
    await messagesOf(key).update({ not_before: fixture.database.raw(`now() - interval '1 hour'`) });
    await fixture.store.webhookMessages.settle(await claimOne(key), failed);
    await fixture
      .database('webhook_endpoints')
      .update({ served_at: fixture.database.raw(`now() - interval '1 hour'`) });
    await fixture.store.webhookMessages.settle(await claimOne(key), delivered);
    return key;
  }

  it('is old and not late while it is served', async () => {
    await comeBack();
    const { oldestDue, longestUnserved } = await fixture.store.webhookMessages.lateness();
    expect(oldestDue).toBeGreaterThanOrEqual(3_600);
    expect(longestUnserved).toBeLessThan(600);
  });

  it('is late when nobody serves it, from its last message on', async () => {
    await comeBack();
    await fixture
      .database('webhook_endpoints')
      .update({ served_at: fixture.database.raw(`now() - interval '20 minutes'`) });
    const seconds = await unservedSeconds();
    expect([seconds >= 1_200, seconds < 2_400]).toEqual([true, true]);
  });

  it('is late from the end of a pause on that it requested', async () => {
    await comeBack();
    const at = (minutes: number) => fixture.database.raw(`now() - make_interval(mins => ?::integer)`, [minutes]);
    await fixture.database('webhook_endpoints').update({ served_at: at(50), held_until: at(20) });
    const seconds = await unservedSeconds();
    expect([seconds >= 1_200, seconds < 2_400]).toEqual([true, true]);
  });

  // It is claimed again whenever its lease is over, for ever, and its receiver gets it again each time.
  it.each([
    ['in nobody’s hands', `now() - interval '1 second'`],
    ['under way', `now() + interval '1 minute'`],
  ])('is late when no delivery can be settled, while the message is %s', async (_, leaseUntil) => {
    const key = await comeBack();
    await fixture
      .database('webhook_endpoints')
      .update({ served_at: fixture.database.raw(`now() - interval '20 minutes'`) });
    await messagesOf(key).whereNot({ id: 'm1' }).delete();
    await messagesOf(key).update({
      state: 'pending',
      ended_at: null,
      not_before: fixture.database.raw(`now() - interval '1 hour'`),
    });
    await fixture.database.raw(
      `alter table webhook_messages add constraint unsettled check (state <> 'delivered') not valid`,
    );
    await expect(fixture.store.webhookMessages.settle(await claimOne(key), delivered)).rejects.toThrow(
      'The database refused a value',
    );
    await messagesOf(key).update({ lease_until: fixture.database.raw(leaseUntil) });
    const seconds = await unservedSeconds();
    expect([seconds >= 1_200, seconds < 2_400]).toEqual([true, true]);
  });

  it('costs its row one write in ten seconds, however much is delivered', async () => {
    const key = await comeBack();
    // Not ten seconds ago, however long this machine takes for the next statement.
    await fixture
      .database('webhook_endpoints')
      .update({ served_at: fixture.database.raw(`now() + interval '1 hour'`) });
    const first = await servedAt(key);
    await fixture.store.webhookMessages.settle(await claimOne(key), delivered);
    expect(await servedAt(key)).toEqual(first);
    await fixture
      .database('webhook_endpoints')
      .update({ served_at: fixture.database.raw(`now() - interval '11 seconds'`) });
    await fixture.store.webhookMessages.settle(await claimOne(key), delivered);
    expect(await servedAt(key)).not.toEqual(first);
  });
});

describe('what a receiver reports about itself', () => {
  const isDue = async (key: EndpointKey) =>
    (await fixture.store.webhookMessages.findDue(search)).some(({ endpointId }) => endpointId === key.endpointId);
  const claim = async (key: EndpointKey) =>
    await fixture.store.webhookMessages.claim({ endpoints: [key], perEndpoint: 1, inFlightMax: 4, leaseMs: 60_000 });
  const settle = async (claimed: ClaimedMessage, end: object) =>
    await fixture.store.webhookMessages.settle(claimed, { ...failed, ...end });
  const move = (key: EndpointKey) => fixture.store.webhookEndpoints.update(key, { url: 'https://other.example.com/' });

  it('a pause that it requests holds everything of the endpoint, and makes nothing late', async () => {
    const key = await addEndpoint();
    await fill(key, 3);
    const [asks, serves] = [await claimOne(key), await claimOne(key)];
    await settle(asks, { holdMs: 600_000 });
    expect([await isDue(key), await claim(key)]).toEqual([false, []]);
    // Another answer that was on its way: the pause stays.
    await fixture.store.webhookMessages.settle(serves, delivered);
    await messagesOf(key).update({ not_before: fixture.database.raw(`now() - interval '1 hour'`) });
    expect([await isDue(key), await claim(key)]).toEqual([false, []]);
    expect(await fixture.store.webhookMessages.lateness()).toEqual({ oldestDue: 0, longestUnserved: 0 });
    await fixture.database('webhook_endpoints').update({ held_until: fixture.database.raw('now()') });
    expect(await isDue(key)).toBe(true);
    expect(await claim(key)).toHaveLength(1);
  });

  it('a shorter pause does not end a longer one; another address and enabling do', async () => {
    const key = await addEndpoint();
    await fill(key, 3);
    const [long, short] = [await claimOne(key), await claimOne(key)];
    await settle(long, { holdMs: 600_000 });
    await settle(short, { holdMs: 1 });
    expect(await isDue(key)).toBe(false);
    await move(key);
    expect(await isDue(key)).toBe(true);
    await settle(await claimOne(key), { holdMs: 600_000 });
    await messagesOf(key).update({ not_before: fixture.database.fn.now() });
    expect(await isDue(key)).toBe(false);
    await fixture.store.webhookEndpoints.update(key, { status: 'enabled' });
    expect(await isDue(key)).toBe(true);
  });

  it('gone: it is disabled at once, the others are notified, and what waits has failed', async () => {
    const key = await addEndpoint();
    const other = await addEndpoint(['endpoint.disabled']);
    await fill(key, 3);
    expect(await settle(await claimOne(key), { isGone: true })).toEqual({ disabled: 'gone', ended: 'failed' });
    const found = await fixture.store.webhookEndpoints.find(key);
    expect(found).toMatchObject({ status: 'disabled', disabledReason: 'gone' });
    expect([await countOf(key, 'failed'), await countOf(key, 'pending')]).toEqual([3, 0]);
    const [message] = await messagesOf(other).select<{ payload: string }[]>('payload');
    expect((JSON.parse(message?.payload ?? '') as { data: object }).data).toEqual({ ...key, reason: 'gone' });
  });

  it('of an address that the endpoint no longer has: nothing changes', async () => {
    const key = await addEndpoint();
    await fill(key, 3);
    const [first, second] = [await claimOne(key), await claimOne(key)];
    await move(key);
    expect(await settle(first, { isGone: true })).toEqual({});
    await settle(second, { holdMs: 600_000 });
    const found = await fixture.store.webhookEndpoints.find(key);
    expect(found).toMatchObject({ status: 'enabled' });
    expect(found).not.toHaveProperty('failingSince');
    expect(await isDue(key)).toBe(true);
  });

  it('a failure of ours says nothing about the endpoint, and the message waits for its next try', async () => {
    const key = await addEndpoint();
    await fill(key, 1);
    expect(await settle(await claimOne(key), { class: 'not-signed', isOurs: true })).toEqual({});
    expect(await fixture.store.webhookEndpoints.find(key)).not.toHaveProperty('failingSince');
    expect(await claim(key)).toEqual([]);
  });
});
