import { openDatabase, type EndpointKey } from '@sluice/store';
import { countRows } from '@sluice/testkit';
import { webhookFiltersDefault } from '@sluice/types';
import { createWriteFixture, type WriteFixture } from './write-fixture';

// A statement has 5 s. What writes messages, or changes many, does so in statements that are bounded whatever there is.
let fixture: WriteFixture;
let database: ReturnType<typeof openDatabase>;
beforeEach(async () => {
  fixture = await createWriteFixture();
  database = openDatabase({ url: fixture.url, poolMax: 4, applicationName: 'test' });
});
afterEach(async () => {
  await database.destroy();
  await fixture.close();
});

const messagesPerStatement = 1_000;

async function addEndpoint(): Promise<EndpointKey> {
  const { projectId } = fixture.seeded;
  const seal = () => ({ text: 'v1.k1.iv.tag.text', keyId: 'k1' });
  const one = { projectId, url: 'https://receiver.example.com/', eventTypes: webhookFiltersDefault, max: 20, seal };
  return { projectId, endpointId: (await fixture.store.webhookEndpoints.create(one))?.id ?? '' };
}

/** Counts the messages of each statement that inserts or changes some. */
async function countStatements(event: 'insert' | 'update'): Promise<() => Promise<number[]>> {
  await database.raw(`
    create table seen (messages integer);
    create function see() returns trigger language plpgsql as $$ begin
      insert into seen select count(*) from changed; return null; end $$;
    create trigger see after ${event} on webhook_messages referencing new table as changed
      for each statement execute function see()`);
  return async () =>
    (await database('seen').select<{ messages: number }[]>('messages')).map(({ messages }) => messages);
}

interface Told {
  readonly id: string;
  readonly endpoint_id: string;
  readonly group_ref: string;
  readonly operation_id: string;
}

it('deletes an installation with many open operations: each is told once at each endpoint, in statements of bounded size', async () => {
  const operations = 60;
  const endpoints = await Promise.all(Array.from({ length: 20 }, addEndpoint));
  const writes = Array.from({ length: operations }, () => fixture.asynchronous());
  await fixture.store.writes.accept(writes);
  const statements = await countStatements('insert');
  expect(await fixture.store.installations.remove(fixture.seeded)).toBe(true);
  expect(Math.max(...(await statements()))).toBeLessThanOrEqual(messagesPerStatement);
  const { rows } = await database.raw<{ rows: Told[] }>(
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

it('says whose it was also of what ends in a later transaction of the deletion', async () => {
  await addEndpoint();
  const writes = Array.from({ length: 300 }, () => fixture.asynchronous());
  await fixture.store.writes.accept(writes);
  await fixture.store.installations.remove(fixture.seeded);
  const { rows } = await database.raw<{ rows: { group_ref: string; told: number }[] }>(
    `select payload::json->'data'->>'groupRef' as group_ref, count(*)::integer as told
     from webhook_messages where type = 'write.async.done' group by 1`,
  );
  expect(rows).toEqual([{ group_ref: fixture.seeded.groupRef, told: writes.length }]);
  expect((await countRows(fixture.url))['connections'] ?? 0).toBe(0);
});
