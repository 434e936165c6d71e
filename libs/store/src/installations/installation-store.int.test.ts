import { sampleConfig, sampleManifest, seedInstallation, type SeededInstallation } from '@sluice/testkit';
import { useDatabase } from '../../test/use-database';
import { createStore } from '../store';

const fixture = useDatabase();

const names = (seed: SeededInstallation) => ({
  withinProjectId: seed.projectId,
  projectIdOrName: seed.projectName,
  integrationId: seed.integrationId,
  groupRef: seed.groupRef,
});

/** Operations with these states, oldest first, a second apart, the last one now. */
async function insertOperations(seed: SeededInstallation, states: readonly string[]): Promise<void> {
  for (const [at, state] of states.entries()) {
    const ids = {
      project_id: seed.projectId,
      installation_id: seed.installationId,
      integration_id: seed.integrationId,
    };
    await fixture.database('operations').insert({
      ...ids,
      id: `0190-${String(at).padStart(4, '0')}`,
      config_id: seed.configId,
      connection_id: seed.connectionId,
      lane_id: 'lane',
      object_name: `object-${at}`,
      type: 'create',
      mode: 'asynchronous',
      state,
      traceparent: '',
      created_at: new Date(Date.now() - (states.length - at) * 1_000),
    });
  }
}

describe('installationStore', () => {
  it('stores equal contents once', async () => {
    const first = await seedInstallation(fixture.store);
    const { projectId, integrationId, revisionId } = first;
    await fixture.store.installations.create({
      projectId,
      integrationId,
      groupRef: 'group-2',
      connectionId: first.connectionId,
      createdBy: 'consumer:user-1',
      config: { revisionId, content: sampleConfig(), createdBy: 'x' },
    });
    expect(await fixture.database('config_contents').where({ project_id: projectId })).toHaveLength(1);
    expect(await fixture.store.installations.list(projectId)).toHaveLength(2);
    expect(await fixture.store.installations.list(projectId, { groupRef: 'group-2', integrationId })).toHaveLength(1);
    expect(await fixture.store.installations.list(projectId, { integrationId: 'other' })).toEqual([]);
  });

  it.each([
    ['five failures', ['failed', 'failed', 'failed', 'failed', 'failed'], 'unhealthy'],
    ['four failures', ['failed', 'failed', 'failed', 'failed'], 'healthy'],
    ['a success among the last five', ['failed', 'failed', 'succeeded', 'failed', 'failed', 'failed'], 'healthy'],
    ['five failures after a success', ['succeeded', 'failed', 'failed', 'failed', 'failed', 'failed'], 'unhealthy'],
    ['one that is open among them', ['failed', 'failed', 'failed', 'accumulating', 'failed', 'failed'], 'unhealthy'],
    ['four and one that is open', ['failed', 'failed', 'failed', 'queued', 'failed'], 'healthy'],
  ])('computes health from the last five operations that ended: %s', async (_name, states, health) => {
    const seed = await seedInstallation(fixture.store);
    await insertOperations(seed, states);
    const [listed] = await fixture.store.installations.list(seed.projectId);
    expect(listed).toMatchObject({ healthStatus: health, lastOperationStatus: 'failure' });
  });
});

describe('installationLookup', () => {
  it('goes from names to ids, by project id and by name', async () => {
    const seed = await seedInstallation(fixture.store);
    const byName = await fixture.store.installationLookup.findIds(names(seed));
    expect(byName.missing).toBeUndefined();
    expect(byName).toMatchObject({
      ids: {
        projectId: seed.projectId,
        integrationId: seed.integrationId,
        installationId: seed.installationId,
        revisionId: seed.revisionId,
        configId: seed.configId,
        connectionId: seed.connectionId,
        provider: 'hubspot',
        dropUnmappedFields: false,
      },
    });
    expect(await fixture.store.installationLookup.findIds({ ...names(seed), projectIdOrName: seed.projectId })).toEqual(
      byName,
    );
    if (byName.missing !== undefined) return;
    const { projectId, contentHash } = byName.ids;
    expect(await fixture.store.installationLookup.findContent(projectId, contentHash)).toEqual(sampleConfig());
    expect(await fixture.store.installationLookup.findContent('other', contentHash)).toBeUndefined();
  });

  it('takes an integration by its name, unless that is the id of another one', async () => {
    const [seed, theirs] = [await seedInstallation(fixture.store), await seedInstallation(fixture.store)];
    const found = await fixture.store.installationLookup.findIds(names(seed));
    const { name } = (await fixture.store.integrations.find(seed.projectId, seed.integrationId)) ?? {};
    expect(name).toBe('crm');
    const asked = { ...names(seed), integrationId: 'crm' };
    expect(await fixture.store.installationLookup.findIds(asked)).toEqual(found);
    expect(await fixture.store.installationLookup.findAccount(asked)).toMatchObject(found);
    // Names are unique in a project only, and may look like an id.
    const content = sampleManifest({ name: seed.integrationId });
    const entry = { projectId: seed.projectId, name: seed.integrationId, provider: 'hubspot', specVersion: '1.0.0' };
    await fixture.store.integrations.create({ ...entry, content });
    const many = [names(seed), asked, { ...names(theirs), integrationId: 'crm' }, { ...asked, integrationId: 'CRM' }];
    const results = await Promise.all(many.map(fixture.store.installationLookup.findIds));
    expect(results.map((result) => result.missing ?? result.ids.installationId)).toEqual([
      seed.installationId,
      seed.installationId,
      theirs.installationId,
      'integration',
    ]);
  });

  // Every name is looked up inside the caller's project, so a mix of two projects matches nothing.
  it('returns what is missing, and finds nothing of another project', async () => {
    const [mine, theirs] = [await seedInstallation(fixture.store), await seedInstallation(fixture.store)];
    const missing = async (changes: Partial<ReturnType<typeof names>>) =>
      (await fixture.store.installationLookup.findIds({ ...names(mine), ...changes })).missing;
    expect(await missing({ projectIdOrName: 'nowhere' })).toBe('project');
    expect(await missing({ projectIdOrName: theirs.projectId })).toBe('project');
    expect(await missing({ projectIdOrName: theirs.projectName })).toBe('project');
    expect(await missing({ integrationId: theirs.integrationId })).toBe('integration');
    expect(await missing({ groupRef: 'nobody' })).toBe('group');
    await fixture.database('installations').where({ project_id: mine.projectId }).delete();
    expect(await missing({})).toBe('installation');
  });

  it('returns many at once, each in its position, those that are missing too', async () => {
    const seeds = [await seedInstallation(fixture.store), await seedInstallation(fixture.store)];
    const [one, two] = seeds.map(names) as [ReturnType<typeof names>, ReturnType<typeof names>];
    const asked = [two, { ...one, groupRef: 'nobody' }, one, { ...two, projectIdOrName: one.projectIdOrName }, two];
    const found = await Promise.all(asked.map(fixture.store.installationLookup.findIds));
    const results = found.map((result) => result.missing ?? result.ids.installationId);
    const [first, second] = seeds.map((seed) => seed.installationId);
    expect(results).toEqual([second, 'group', first, 'project', second]);
  });

  it('shows the latest revision of the integration', async () => {
    const seed = await seedInstallation(fixture.store);
    const integration = await fixture.store.integrations.find(seed.projectId, seed.integrationId);
    const content = { ...integration!.latestRevision.content, displayName: 'Changed' };
    const entry = { projectId: seed.projectId, name: content.name, provider: 'hubspot', specVersion: '1.0.0', content };
    const [revised] = await fixture.store.integrations.putAll(seed.projectId, [entry]);
    const result = await fixture.store.installationLookup.findIds(names(seed));
    expect(result).toMatchObject({ ids: { revisionId: revised?.latestRevision.id, configId: seed.configId } });
  });
});

describe('operationStore', () => {
  it('shows outcomes per record, and the ids of those that were written', async () => {
    const seed = await seedInstallation(fixture.store);
    await insertOperations(seed, ['succeeded']);
    const key = { project_id: seed.projectId, operation_id: '0190-0000' };
    const shared = {
      ...key,
      traceparent: '',
      config_id: 'x',
    };
    const record = (index: number, more: object) => ({
      ...shared,
      record_index: index,
      accept_seq: 1,
      retry_ms: 1,
      ...more,
    });
    await fixture.database('records').insert([record(0, { ref: 'row-1' }), record(1, {})]);
    await fixture.database('outcomes').insert([
      { ...key, call_number: 0, fence: 1, outcome: 'succeeded', record_indexes: [0], provider_ids: ['501'] },
      {
        ...key,
        call_number: 0,
        fence: 1,
        outcome: 'failed',
        record_indexes: [1],
        error_classes: ['rejected'],
        error_texts: ['Bad email'],
      },
    ]);
    await fixture.database('calls').insert({
      ...key,
      number: 0,
      lane_id: 'l',
      connection_id: 'c',
      object_name: 'o',
      type: 'create',
      mode: 'asynchronous',
      state: 'done',
      attempts: 2,
      traceparent: '',
    });
    expect((await fixture.store.operations.find(seed.projectId, '0190-0000'))?.metadata).toEqual({
      objects: ['object-0'],
      retry: { attempts: 2 },
      successfulRecordIds: ['501'],
    });
    expect(await fixture.store.operations.listRecords(seed.projectId, '0190-0000')).toEqual([
      { index: 0, ref: 'row-1', status: 'succeeded', recordId: '501' },
      {
        index: 1,
        status: 'failed',
        error: { class: 'rejected', message: 'Bad email' },
        problems: [{ message: 'Bad email' }],
      },
    ]);
    expect(await fixture.store.operations.listRecords(seed.projectId, '0190-0000', { ref: 'row-1' })).toHaveLength(1);
  });
});

describe('a database that does not answer', () => {
  it('is a dependency error, never a driver error', async () => {
    const gone = createStore({ url: 'postgres://nobody@127.0.0.1:9/none', applicationName: 'gone' });
    await expect(gone.projects.listPage(undefined, { size: 1 })).rejects.toMatchObject({
      code: 'service.unavailable',
      retry: 'backoff',
    });
    await gone.close();
  });
});
