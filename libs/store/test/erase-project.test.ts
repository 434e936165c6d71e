import { createStore, newId } from '@sluice/store';
import { countRows, fillBacklog, patientLimits, seedInstallation, startTcpProxy, until } from '@sluice/testkit';
import { eraseUntilDeath } from './erase-until-death';
import { fillTables, rowsOf } from './fill-tables';
import { useWriteFixture } from './write-fixture';

const fixture = useWriteFixture();

const removed = async () => {
  expect(await fixture.store.projects.remove(fixture.seeded.projectId)).toBe(true);
};
const erase = () => fixture.store.projects.erase(fixture.seeded.projectId);
/** Passes until one returns this. */
async function eraseUntil(last: string): Promise<string[]> {
  const rounds: string[] = [];
  while (rounds.at(-1) !== last && rounds.length < 100) rounds.push(await erase());
  expect(rounds.at(-1)).toBe(last);
  return rounds;
}
const letTimePass = () =>
  fixture.database.raw(
    `update project_deletions set requested_at = requested_at - interval '11 minutes' where project_id = ?`,
    [fixture.seeded.projectId],
  );
const find = (id: string) => fixture.store.operations.find(fixture.seeded.projectId, id);

describe('removing', () => {
  it('takes the project and its keys away at once, and frees the name', async () => {
    const { projectId, projectName } = fixture.seeded;
    const jwtKey = await fixture.store.jwtKeys.create({ projectId, label: 'x', publicKeyPem: 'pem' });
    await removed();
    expect(await fixture.store.projects.find(projectId)).toBeUndefined();
    expect(await fixture.store.apiKeys.findPresented('a secret of the test')).toBeUndefined();
    expect(await fixture.store.jwtKeys.findNamed(jwtKey.id)).toBeUndefined();
    expect(await fixture.store.projects.removed()).toEqual([projectId]);
    await fixture.store.projects.create({ name: projectName, appName: 'Next', orgId: 'org-1' });
    expect(await fixture.store.projects.remove(projectId)).toBe(false);
  });

  // A request that found the project a moment before may make one all the same.
  it('leaves no key that opens anything, also when it is made afterwards', async () => {
    const { projectId } = fixture.seeded;
    await removed();
    await fixture.store.apiKeys.create({ projectId, label: 'late', scopes: ['full'], secret: 'a late secret' });
    const jwtKey = await fixture.store.jwtKeys.create({ projectId, label: 'late', publicKeyPem: 'pem' });
    expect(await fixture.store.apiKeys.findPresented('a late secret')).toBeUndefined();
    expect(await fixture.store.jwtKeys.findNamed(jwtKey.id)).toBeUndefined();
  });

  it('lets no write in that was planned before', async () => {
    const write = fixture.asynchronous();
    await removed();
    expect((await fixture.store.writes.accept([write])).get(write.operation.id)).toEqual({ kind: 'stale' });
  });

  it('happens once, of twenty at once', async () => {
    const removals = Array.from({ length: 20 }, () => fixture.store.projects.remove(fixture.seeded.projectId));
    expect((await Promise.all(removals)).filter(Boolean)).toHaveLength(1);
  });

  // Its key goes with it: the caller could not repeat the request.
  it('is reported as done when the answer to its COMMIT is lost', async () => {
    const { projectId } = fixture.seeded;
    const proxy = await startTcpProxy(fixture.url);
    const reached = createStore({ url: proxy.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
    try {
      proxy.loseAnswerTo('COMMIT');
      expect(await reached.projects.remove(projectId)).toBe(true);
      expect(proxy.lost()).toBe(1);
      expect(await fixture.store.projects.removed()).toEqual([projectId]);
      expect(await reached.projects.remove(projectId)).toBe(false);
    } finally {
      await reached.close();
      proxy.close();
    }
  });
});

describe('erasing', () => {
  it('leaves no row of the project in any table, and every row of the others', async () => {
    const others = await seedInstallation(fixture.store);
    await fillTables(fixture.database, [fixture.seeded.projectId, others.projectId]);
    const { project_deletions: deletions, ...before } = await rowsOf(fixture.database, others.projectId);
    // A table that is not filled would prove nothing.
    expect([deletions, Object.values(before).includes(0)]).toEqual([0, false]);
    await removed();
    await eraseUntil('waiting');
    await letTimePass();
    await eraseUntil('done');
    expect(
      Object.entries(await rowsOf(fixture.database, fixture.seeded.projectId)).filter(([, rows]) => rows > 0),
    ).toEqual([]);
    expect(await rowsOf(fixture.database, others.projectId)).toEqual({ ...before, project_deletions: 0 });
    expect(await fixture.store.projects.removed()).toEqual([]);
  });

  it('withdraws access and secrets before anything else, and what waits with them', async () => {
    const writes = Array.from({ length: 3 }, () => fixture.asynchronous());
    const open = fixture.batchable();
    await fixture.store.writes.accept(writes);
    await fixture.store.writes.join([open]);
    await removed();
    while ((await erase()) === 'withdrawing');
    const left = Object.keys(await countRows(fixture.url));
    for (const table of ['connections', 'installations', 'api_keys', 'provider_apps', 'webhook_endpoints', 'groups'])
      expect(left).not.toContain(table);
    expect(await fixture.claim()).toEqual([]);
    await eraseUntil('waiting');
    for (const table of ['operations', 'calls', 'records'])
      expect(await countRows(fixture.url)).not.toHaveProperty(table);
  });

  it('withdraws access before it erases messages, however many there are', async () => {
    await fillMessages(2_500);
    await fixture.accept();
    await removed();
    while ((await erase()) === 'withdrawing');
    const left = await countRows(fixture.url);
    expect(left['installations'] ?? 0).toBe(0);
    expect(left['webhook_messages']).toBeGreaterThan(0);
    await eraseUntil('waiting');
    expect(await countRows(fixture.url)).not.toHaveProperty('webhook_messages');
  });

  // Read from its start, a table is read past all that is deleted, in each pass further.
  it('reads no table of a project that has most of it from the start', async () => {
    await fillMessages(5_000);
    await removed();
    const eraser = createStore({ url: fixture.url, applicationName: 'test', poolMax: 1, limits: patientLimits });
    while ((await eraser.projects.erase(fixture.seeded.projectId)) !== 'waiting');
    // A connection reports what it read when it ends at the latest.
    await eraser.close();
    const { seq_scan: fromTheStart } = await until('the statistics are reported', async () => {
      const statistics = fixture.database('pg_stat_user_tables').where({ relname: 'webhook_messages' });
      const scans = await statistics.first<ScanCounts>('seq_scan', 'idx_scan');
      return Number(scans.seq_scan) + Number(scans.idx_scan) >= 10 ? scans : undefined;
    });
    expect(Number(fromTheStart)).toBe(0);
  });

  it('waits for what is being sent, which ends as it would have', async () => {
    const write = await fixture.accept();
    const running = await fixture.claimOne();
    await removed();
    await letTimePass();
    await eraseUntil('waiting');
    expect(await find(write.operation.id)).toMatchObject({ status: 'in_progress' });
    await fixture.settleAll(running);
    expect(await find(write.operation.id)).toMatchObject({ status: 'success' });
    await eraseUntil('done');
    expect(await find(write.operation.id)).toBeUndefined();
  });

  it('keeps what a claim needs while a call can still come back, and a claim shows the deletion', async () => {
    await fixture.accept();
    const running = await fixture.claimOne();
    await removed();
    await letTimePass();
    await eraseUntil('waiting');
    await fixture.store.writes.release([{ ...running, delayMs: 0, isInDoubt: true }]);
    const [again] = await fixture.claim();
    expect(again).toMatchObject({ isUninstalled: true, isInDoubt: true });
    await fixture.settleAll(again ?? running);
    await eraseUntil('done');
  });

  it('waits for requests that may still be under way, and erases what they make', async () => {
    const { projectId } = fixture.seeded;
    await removed();
    await eraseUntil('waiting');
    await seedConnection();
    expect(await erase()).toBe('withdrawing');
    await eraseUntil('waiting');
    await letTimePass();
    await seedConnection();
    await eraseUntil('done');
    expect(await rowsOf(fixture.database, projectId)).toMatchObject({ connections: 0, lanes: 0 });
  });

  it('continues from what is there, by several at once', async () => {
    const { projectId, integrationId, revisionId } = fixture.seeded;
    for (let at = 0; at < 45; at += 1) {
      const connection = await seedConnection(`group-of-${at}`);
      const config = { revisionId, content: { provider: 'hubspot' }, createdBy: 'builder:x' };
      const named = { projectId, integrationId, groupRef: `group-of-${at}`, connectionId: connection.id };
      await fixture.store.installations.create({ ...named, createdBy: 'consumer:anna', config });
    }
    await fixture.store.writes.accept(Array.from({ length: 250 }, () => fixture.asynchronous()));
    await removed();
    await letTimePass();
    const eraser = async () => {
      while ((await erase()) !== 'done');
    };
    await Promise.all([eraser(), eraser(), eraser(), eraser()]);
    expect(Object.entries(await rowsOf(fixture.database, projectId)).filter(([, rows]) => rows > 0)).toEqual([]);
  });

  // Each goes one commit further, and finds the project as the one before it left it.
  it('is finished by processes of which each dies behind its first commit', async () => {
    const { projectId } = fixture.seeded;
    const others = await seedInstallation(fixture.store);
    await fillTables(fixture.database, [projectId, others.projectId]);
    const { project_deletions: _, ...before } = await rowsOf(fixture.database, others.projectId);
    await fixture.store.writes.accept(Array.from({ length: 3 }, () => fixture.asynchronous()));
    await fixture.store.writes.join([fixture.batchable()]);
    await removed();
    await letTimePass();
    const deaths: string[] = [];
    const next = () => (deaths.length < 200 ? eraseUntilDeath(fixture.url) : undefined);
    for (let at = next(); at !== undefined; at = next()) deaths.push(at);
    expect(Object.entries(await rowsOf(fixture.database, projectId)).filter(([, rows]) => rows > 0)).toEqual([]);
    expect(await rowsOf(fixture.database, others.projectId)).toEqual({ ...before, project_deletions: 0 });
    expect(await fixture.store.projects.removed()).toEqual([]);
    // Two installations, and each table that the passes empty; the keys went before, with the project.
    expect(deaths.filter((at) => at === 'st.after_end_round')).toHaveLength(2);
    expect(deaths.filter((at) => at === 'st.after_erase_step').length).toBeGreaterThanOrEqual(15);
    // Some thirty processes, one after the other: 10 s on a machine that is free.
  }, 300_000);

  it('takes the operations of a large project in passes', async () => {
    await fillBacklog(fixture.url, fixture.seeded, { calls: 2_500 });
    await removed();
    const rounds = await eraseUntil('waiting');
    expect(rounds.filter((round) => round === 'erasing')).toHaveLength(2);
    expect(await countRows(fixture.url)).not.toHaveProperty('operations');
  });
});

interface ScanCounts {
  readonly seq_scan: string;
  readonly idx_scan: string;
}

/** Messages of an endpoint of the project, and statistics that know of them. */
async function fillMessages(count: number): Promise<void> {
  await fixture.database.raw(
    `insert into webhook_messages (project_id, endpoint_id, id, type, payload, state)
     select ?, 'e', n::text, 'write.async.done', '{}', 'delivered' from generate_series(1, ?::integer) n`,
    [fixture.seeded.projectId, count],
  );
  await fixture.database.raw('analyze webhook_messages');
}

function seedConnection(groupRef = 'late') {
  return fixture.store.connections.create({
    projectId: fixture.seeded.projectId,
    provider: 'hubspot',
    groupRef,
    consumerRef: 'anna',
    authScheme: 'apiKey',
    reportedAccountRef: `account-${newId()}`,
    seal: () => ({ text: 'sealed', keyId: 'k1' }),
  });
}
