import type { EndpointKey } from '@sluice/store';
import { countRows } from '@sluice/testkit';
import type { Knex } from 'knex';
import { webhookMessageStore } from '../src/webhooks/message-store';
import { replayFailed } from '../src/webhooks/message-store';
import { rowsRead } from './rows-read';
import { useWebhookFixture } from './webhook-fixture';

// A statement has 5 s. What writes messages, or changes many, does so in statements that are bounded whatever there is.
const fixture = useWebhookFixture();

const messagesPerStatement = 1_000;

const addEndpoint = () => fixture.addEndpoint();

/** Counts the messages of each statement that inserts or changes some. */
async function countStatements(event: 'insert' | 'update'): Promise<() => Promise<number[]>> {
  await fixture.database.raw(`
    create table seen (messages integer);
    create function see() returns trigger language plpgsql as $$ begin
      insert into seen select count(*) from changed; return null; end $$;
    create trigger see after ${event} on webhook_messages referencing new table as changed
      for each statement execute function see()`);
  return async () =>
    (await fixture.database('seen').select<{ messages: number }[]>('messages')).map(({ messages }) => messages);
}

interface NotifiedConsumer {
  readonly id: string;
  readonly endpoint_id: string;
  readonly group_ref: string;
  readonly operation_id: string;
}

it('deletes an installation with many open operations: each is reported once to each endpoint, in statements of bounded size', async () => {
  const operations = 60;
  const endpoints = await Promise.all(Array.from({ length: 20 }, addEndpoint));
  const writes = Array.from({ length: operations }, () => fixture.asynchronous());
  await fixture.store.writes.accept(writes);
  const statements = await countStatements('insert');
  expect(await fixture.store.installations.remove(fixture.seeded)).toBe(true);
  expect(Math.max(...(await statements()))).toBeLessThanOrEqual(messagesPerStatement);
  const { rows } = await fixture.database.raw<{ rows: NotifiedConsumer[] }>(
    `select id, endpoint_id, payload::json->'data'->>'groupRef' as group_ref, payload::json->'data'->>'operationId' as operation_id
     from webhook_messages where type = 'write.async.done'`,
  );
  expect(rows).toHaveLength(operations * endpoints.length);
  const ids = new Map(rows.map((row) => [row.operation_id, row.id]));
  expect([...ids.keys()].toSorted()).toEqual(writes.map(({ operation }) => operation.id).toSorted());
  expect(rows.every((row) => ids.get(row.operation_id) === row.id && row.group_ref === fixture.seeded.groupRef)).toBe(
    true,
  );
});

it('names the group also for what ends in a later transaction of the deletion', async () => {
  await addEndpoint();
  const writes = Array.from({ length: 300 }, () => fixture.asynchronous());
  await fixture.store.writes.accept(writes);
  await fixture.store.installations.remove(fixture.seeded);
  const { rows } = await fixture.database.raw<{
    rows: { group_ref: string; consumer_ref: string; messages: number }[];
  }>(
    `select payload::json->'data'->>'groupRef' as group_ref, payload::json->'data'->>'consumerRef' as consumer_ref,
       count(*)::integer as messages
     from webhook_messages where type = 'write.async.done' group by 1, 2`,
  );
  expect(rows).toEqual([{ group_ref: fixture.seeded.groupRef, consumer_ref: 'user-1', messages: writes.length }]);
  expect((await countRows(fixture.url))['connections'] ?? 0).toBe(0);
});

it('names the group also for what an executor ends later, with its installation and connection gone', async () => {
  await addEndpoint();
  const write = await fixture.accept();
  const underWay = await fixture.claimOne();
  await fixture.store.installations.remove(fixture.seeded);
  expect((await countRows(fixture.url))['connections'] ?? 0).toBe(0);
  await fixture.settleAll(underWay);
  const [messages] = await fixture.database('webhook_messages').where({ type: 'write.async.done' }).pluck('payload');
  const { installationId, connectionId, groupRef } = fixture.seeded;
  expect((JSON.parse(messages) as { data: object }).data).toMatchObject({
    operationId: write.operation.id,
    installationId,
    connectionId,
    groupRef,
    groupName: groupRef,
    consumerRef: 'user-1',
    consumerName: 'user-1',
  });
});

it('leaves no connection behind when a deletion of many dies after its first transaction', async () => {
  await addEndpoint();
  const writes = Array.from({ length: 300 }, () => fixture.asynchronous());
  await fixture.store.writes.accept(writes);
  // Whoever ends operations after others have ended fails, as in a process that dies between two transactions.
  await fixture.database.raw(`
    create function die() returns trigger language plpgsql as $$ begin
      if exists (select 1 from operations where state = 'failed') then raise exception 'died'; end if; return null; end $$;
    create trigger die before update on operations for each statement execute function die()`);
  await expect(fixture.store.installations.remove(fixture.seeded)).rejects.toThrow('service.unavailable');
  const types = await fixture
    .database('webhook_messages')
    .whereNot('type', 'write.async.done')
    .orderBy('type')
    .pluck('type');
  expect(types).toEqual(['connection.deleted', 'installation.deleted']);
  const rows = await countRows(fixture.url);
  expect([rows['connections'] ?? 0, rows['installations'] ?? 0]).toEqual([0, 0]);
  // The rest is an executor's, who sends nothing.
  await fixture.database.raw('drop trigger die on operations');
  expect(await fixture.database('calls').where({ state: 'ready' }).pluck('state')).toHaveLength(50);
  const claimed = await fixture.claim({ limit: 1 });
  expect(claimed).toMatchObject([{ isUninstalled: true }]);
});

const fill = async ({ projectId, endpointId }: EndpointKey, state: string, n: number, from = 0) =>
  await fixture.database.raw(
    `insert into webhook_messages (project_id, endpoint_id, id, type, payload, state, ended_at)
     select ?, ?, to_char(n, '0000000'), 'endpoint.test', '{}', ?, now() from generate_series(?::integer, ?::integer) n`,
    [projectId, endpointId, state, from + 1, from + n],
  );
const countOf = async ({ endpointId }: EndpointKey, state: string) =>
  (await fixture.database('webhook_messages').where({ endpoint_id: endpointId, state }).select<{ id: string }[]>('id'))
    .length;

describe('a replay of many', () => {
  it('puts them back in statements of bounded size, and returns how many', async () => {
    const key = await addEndpoint();
    await fill(key, 'failed', 2_500);
    await fill(key, 'delivered', 10, 2_500);
    const statements = await countStatements('update');
    const replayed = await fixture.store.webhookMessages.replayFailed(key, new Date(0));
    expect(replayed).toEqual({ replayed: 2_500, isComplete: true });
    expect(Math.max(...(await statements()))).toBe(messagesPerStatement);
    expect([await countOf(key, 'pending'), await countOf(key, 'delivered')]).toEqual([2_500, 10]);
  });

  it('that are more than one request puts back: the next one continues, and each is counted once', async () => {
    const key = await addEndpoint();
    await fill(key, 'failed', 2_500);
    const next = () => replayFailed(fixture.database, key, new Date(0), 2);
    expect([await next(), await next(), await next()]).toEqual([
      { replayed: 2_000, isComplete: false },
      { replayed: 500, isComplete: true },
      { replayed: 0, isComplete: true },
    ]);
  });

  it('that ends in between keeps what it did; an endpoint that is disabled meanwhile takes no more', async () => {
    const key = await addEndpoint();
    await fill(key, 'failed', 1_500);
    // Disabled by somebody between the first pass and the second.
    await fixture.database.raw(`
      create function disable() returns trigger language plpgsql as $$ begin
        update webhook_endpoints set is_enabled = false; return null; end $$;
      create trigger disable after update on webhook_messages for each statement execute function disable()`);
    const replay = () => fixture.store.webhookMessages.replayFailed(key, new Date(0));
    expect(await replay()).toEqual({ replayed: 1_000, isComplete: false });
    expect([await countOf(key, 'pending'), await countOf(key, 'failed')]).toEqual([1_000, 500]);
    expect(await replay()).toBeUndefined();
  });
});

it('a page of messages in one state, and a pass of a replay, read no others', async () => {
  const key = await addEndpoint();
  // Newer and older ones in other states, which a page must not read through.
  await fill(key, 'failed', 50, 20_000);
  for (const from of [0, 20_050]) await fill(key, 'delivered', 20_000, from);
  await fixture.database.raw('vacuum analyze webhook_messages');
  const list = async (inside: Knex) =>
    expect(await webhookMessageStore(inside, 1).list(key, { state: 'failed', limit: 10 })).toHaveLength(10);
  const replay = async (inside: Knex) =>
    expect(await replayFailed(inside, key, new Date(0))).toEqual({ replayed: 50, isComplete: true });
  expect(await rowsRead(fixture.database, list)).toBeLessThan(500);
  expect(await rowsRead(fixture.database, replay)).toBeLessThan(2_000);
});
