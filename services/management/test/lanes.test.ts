import { randomUUID } from 'node:crypto';
import { readProcessEnv } from '@sluice/config';
import { connectRedis } from '@sluice/redis';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { until } from '@sluice/testkit';
import type { Lane, LaneListReply } from '@sluice/types';
import { LaneQuotas } from '@sluice/writes';
import { prepareOperations, useOperations } from './prepare-operations';
import { startManagement, useManagement } from './start-management';

const management = useManagement();
const prepared = useOperations(management);

const read = async (query = '') =>
  (await prepared.send.get(`${prepared.path}/lanes${query}`).expect(200)).body as LaneListReply;
const theLane = async (): Promise<Lane> => {
  const [lane, ...others] = (await read()).results;
  expect(others).toEqual([]);
  if (lane === undefined) throw new Error('the project has no lane');
  return lane;
};
const update = (assignment: string) =>
  management.database.raw(`update lanes set ${assignment} where project_id = ?`, [prepared.seed.projectId]);

it('a lane shows its account, its groups and the quota of its provider', async () => {
  const lane = await theLane();
  expect(lane).toMatchObject({
    projectId: prepared.seed.projectId,
    provider: 'hubspot',
    groupRefs: [prepared.seed.groupRef],
    quota: { limit: 110, windowSeconds: 10 },
    calls: { running: 0, ready: 0, retrying: 0, inDoubt: 0, waiting: 0 },
  });
  expect(lane).not.toHaveProperty('blockedUntil');
  expect(lane).not.toHaveProperty('callsAtOnceMax');
  // Without a Redis nothing is known of what was used.
  expect(lane.quota).not.toHaveProperty('left');
});

describe('what is left of a quota', () => {
  const url = readProcessEnv()['REDIS_URL'] ?? '';
  const metrics = createMetrics('test');
  /** Hints of this test alone, as a writer and as this service have them. */
  const redisOf = (at: string, prefix: string) =>
    // A slow machine may keep a reply longer than a write would wait for it.
    connectRedis({ url: at, prefix, logger: silentLogger, metrics, timeoutMs: 5_000 });
  /** The lane of a new project, as a service shows it that reads these hints. */
  const shownBy = async (redis: ReturnType<typeof redisOf>) => {
    const hinted = await startManagement(() => ({ redis }));
    const seeded = await prepareOperations(hinted);
    const show = async () => {
      const reply = await seeded.send.get(`${seeded.path}/lanes`).expect(200);
      const [lane] = (reply.body as LaneListReply).results;
      if (lane === undefined) throw new Error('the project has no lane');
      return lane;
    };
    return { show, stop: () => hinted.stop() };
  };

  it('is what the writers have not used, by the limit that replies state', async () => {
    const prefix = `lanes-${randomUUID()}:`;
    const writer = redisOf(url, prefix);
    await until('the writer has its Redis', async () => (await writer.healthy()) || undefined);
    const { show, stop } = await shownBy(redisOf(url, prefix));
    await until('the service looks into it', async () => (await show()).quota?.left);
    const { id: laneId, projectId, quota } = await show();
    expect(quota).toEqual({ limit: 110, windowSeconds: 10, left: 110 });
    const quotas = new LaneQuotas(writer.quotas, metrics, writer.cache);
    const connector = management.context.connectors.get('hubspot');
    // The provider's window would pass on a busy machine: a lane of an hour instead.
    quotas.learn({ projectId, laneId }, { limit: 190, windowMs: 3_600_000 });
    for (let calls = 0; calls < 3; calls += 1) await quotas.take({ projectId, laneId }, connector, 'synchronous');
    await until('the limit is learned', async () => (await show()).quota?.limit === 190 || undefined);
    const after = (await show()).quota;
    expect(after).toEqual({ limit: 190, windowSeconds: 3_600, left: expect.any(Number) });
    // What the writer holds of a leased block counts as used: at most a tenth of what is left.
    expect(after?.left).toBeLessThanOrEqual(187);
    expect(after?.left).toBeGreaterThanOrEqual(187 - 19);
    await stop();
    await writer.close();
  });

  it('is left out when Redis is away, at once', async () => {
    const { show, stop } = await shownBy(redisOf('redis://127.0.0.1:1', 'nowhere:'));
    expect((await show()).quota).toEqual({ limit: 110, windowSeconds: 10 });
    await stop();
  });
});

it('a block is shown with its end and its cause, and no more once it is over', async () => {
  await update(`blocked_until = now() + interval '1 hour', cap = 1, last_error = 'You have reached your limit.'`);
  const blocked = await theLane();
  expect(blocked).toMatchObject({ callsAtOnceMax: 1, lastError: 'You have reached your limit.' });
  expect(Date.parse(blocked.blockedUntil ?? '')).toBeGreaterThan(Date.now());
  await update(`blocked_until = now() - interval '1 second'`);
  expect(await theLane()).not.toHaveProperty('blockedUntil');
});

it('calls are counted by what they wait for', async () => {
  await prepared.accept();
  await prepared.accept();
  await prepared.settle(['again'], { next: { state: 'ready', delayMs: 3_600_000 } });
  await prepared.accept();
  await management.database.raw(
    `update calls set state = 'in_doubt' where (operation_id, number) in
       (select operation_id, number from calls where project_id = :projectId and state = 'ready' and not_before <= now() limit 1)`,
    { projectId: prepared.seed.projectId },
  );
  expect((await theLane()).calls).toEqual({ running: 0, ready: 1, retrying: 1, inDoubt: 1, waiting: 0 });
});

it('a count stops at a thousand', async () => {
  await prepared.accept();
  await management.database.raw(
    `insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, traceparent)
     select project_id, operation_id, n, lane_id, connection_id, object_name, type, mode, 'waiting', traceparent
     from calls, generate_series(2, 1500) n where project_id = ?`,
    [prepared.seed.projectId],
  );
  expect((await theLane()).calls).toMatchObject({ ready: 1, waiting: 1_000 });
});

it('lanes are paged', async () => {
  await management.database.raw(
    `insert into lanes (project_id, id, provider, account_ref) select ?, gen_random_uuid(), 'gone', 'a' || n from generate_series(1, 4) n`,
    [prepared.seed.projectId],
  );
  const first = await read('?pageSize=3');
  const second = await read(`?pageSize=3&pageToken=${first.pagination.nextPageToken}`);
  const ids = [...first.results, ...second.results].map(({ id }) => id);
  expect([first.results.length, second.results.length, new Set(ids).size]).toEqual([3, 2, 5]);
  expect(second.pagination).toEqual({ done: true });
  await prepared.send.get(`${prepared.path}/lanes?pageToken=x`).expect(400);
  // A provider whose file is gone has no limit that anybody knows.
  const gone = [...first.results, ...second.results].filter(({ provider }) => provider === 'gone');
  expect(gone.map(({ quota }) => quota)).toEqual([undefined, undefined, undefined, undefined]);
});

describe('sick first, and by text', () => {
  const addLanes = async (names: readonly string[]) => {
    const { projectId } = prepared.seed;
    const rows = names.map((name, at) => ({
      project_id: projectId,
      id: `00000000-0000-7000-8000-00000000000${at}`,
      provider: 'gone',
      account_ref: name,
    }));
    await management.database('lanes').insert(rows);
  };
  const accounts = async (query: string) => {
    const { results, pagination } = await read(query);
    return { names: results.map(({ workspaceRef }) => workspaceRef), next: pagination.nextPageToken };
  };

  it('what ails stands first, then the others, each once over the pages', async () => {
    await addLanes(['a', 'b', 'c']);
    await management.database('lanes').where({ account_ref: 'b' }).update({ cap: 1 });
    await management.database('lanes').where({ account_ref: 'c' }).update({ blocked_until: '2999-01-01' });
    const own = (await read()).results.find(({ provider }) => provider === 'hubspot')?.workspaceRef;
    expect((await accounts('?order=sick-first')).names).toEqual(['c', 'b', 'a', own]);
    const first = await accounts('?order=sick-first&pageSize=1');
    expect(first.names).toEqual(['c']);
    const second = await accounts(`?order=sick-first&pageSize=1&pageToken=${first.next}`);
    const third = await accounts(`?order=sick-first&pageSize=2&pageToken=${second.next}`);
    expect([second.names, third.names, third.next]).toEqual([['a'], [own], undefined]);
    await prepared.accept();
    expect((await accounts('?order=sick-first&waiting=true')).names).toEqual([own]);
    await prepared.send.get(`${prepared.path}/lanes?order=best`).expect(400);
  });

  it('by the beginning of a group, or by the account', async () => {
    await addLanes(['a']);
    const { projectId, groupRef } = prepared.seed;
    await management.context.store.groups.putGroup({ projectId, groupRef, groupName: 'Acme GmbH' });
    const [lane] = (await read('?search=acme%20g')).results;
    expect(lane).toMatchObject({ groupRefs: [groupRef], groupNames: ['Acme GmbH'] });
    expect((await accounts('?search=a')).names).toEqual(['a', lane?.workspaceRef]);
    expect((await accounts('?search=gmbh&order=sick-first')).names).toEqual([]);
    await prepared.send.get(`${prepared.path}/lanes?search=`).expect(400);
  });
});

describe('what keeps a lane from being empty', () => {
  it('shows since when a call may be sent, and no moment while none may', async () => {
    expect(await theLane()).not.toHaveProperty('readySince');
    await prepared.accept();
    const { readySince = '' } = await theLane();
    expect(Math.abs(Date.parse(readySince) - Date.now())).toBeLessThan(60_000);
    await management.database.raw(`update calls set not_before = now() + interval '1 hour' where project_id = ?`, [
      prepared.seed.projectId,
    ]);
    expect(await theLane()).not.toHaveProperty('readySince');
  });

  it('names the connections that the provider refuses, and does not call their writes ready', async () => {
    const { projectId, connectionId, installationId, groupRef } = prepared.seed;
    const { connections } = management.context.store;
    await connections.setStatus({ projectId, connectionId, tokenVersion: 1, status: 'bad_credentials' });
    // Nothing waits for it yet.
    expect(await theLane()).not.toHaveProperty('held');
    const [first] = [await prepared.accept(), await prepared.accept()];
    const sooner = new Date(Date.now() + 600_000);
    await management.database('calls').where({ operation_id: first }).update({ deadline: sooner });
    const lane = await theLane();
    expect(lane.held).toEqual([
      {
        connectionId,
        installationId,
        provider: 'hubspot',
        groupRef,
        groupName: groupRef,
        authScheme: 'apiKey',
        since: expect.any(String),
        // Of all that wait; the others have an hour.
        firstExpireTime: sooner.toISOString(),
      },
    ]);
    expect(lane).not.toHaveProperty('readySince');
  });

  it('is asked for alone: the others are left out, in pages', async () => {
    expect((await read('?waiting=true')).results).toEqual([]);
    await prepared.accept();
    const { id, calls } = await theLane();
    expect((await read('?waiting=true')).results).toMatchObject([{ id, calls }]);
    const far = `insert into calls (project_id, operation_id, number, lane_id, connection_id, object_name, type, mode, state, traceparent)
      select project_id, operation_id, 1, id || '-far', connection_id, object_name, type, mode, state, traceparent
      from (select c.*, l.id from calls c join lanes l on l.project_id = c.project_id and l.id = c.lane_id where c.project_id = ?) x
      on conflict do nothing`;
    await management.database.raw(
      `insert into lanes (project_id, id, provider, account_ref) select project_id, id || '-far', provider, 'far' from lanes where project_id = ?`,
      [prepared.seed.projectId],
    );
    await management.database.raw(far.replace('operation_id, 1,', `operation_id || '-far', 1,`), [
      prepared.seed.projectId,
    ]);
    const first = await read('?waiting=true&pageSize=1');
    expect(first.results.map((lane) => lane.id)).toEqual([id]);
    const next = await read(`?waiting=true&pageSize=1&pageToken=${first.pagination.nextPageToken}`);
    expect(next.results.map((lane) => lane.id)).toEqual([`${id}-far`]);
    expect(next.pagination.done).toBe(true);
  });
});
