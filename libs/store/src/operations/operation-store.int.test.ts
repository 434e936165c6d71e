import { useDatabase } from '../../test/use-database';
import { operationStore } from './operation-store';

const fixture = useDatabase(() =>
  fixture.database('operations').insert([operationRow('p', 'a'), operationRow('p', 'b'), operationRow('other', 'c')]),
);

/** To the microsecond, as Postgres keeps them. */
const createdAt = '2026-06-01T14:00:00.123999+02:00';

function operationRow(projectId: string, id: string) {
  const names = { integration_id: 'i', installation_id: 'n', config_id: 'c', connection_id: 'k', lane_id: 'l' };
  const write = { object_name: 'contacts', type: 'create', mode: 'asynchronous', state: 'queued', traceparent: 't' };
  return { project_id: projectId, id, ...names, ...write, created_at: createdAt };
}

describe('findMany', () => {
  it('answers in the order of the keys, also for one that is requested twice', async () => {
    const keys = ['b', 'none', 'a', 'b'].map((operationId) => ({ projectId: 'p', operationId }));
    const found = await operationStore(fixture.database).findMany(keys);
    expect(found).toHaveLength(keys.length);
    expect(found.map((operation) => operation?.id)).toEqual(['b', undefined, 'a', 'b']);
  });

  it("has nothing for another project's id", async () => {
    const keys = [
      { projectId: 'p', operationId: 'c' },
      { projectId: 'other', operationId: 'c' },
      { projectId: 'other', operationId: 'a' },
    ];
    const found = await operationStore(fixture.database).findMany(keys);
    expect(found.map((operation) => operation?.projectId)).toEqual([undefined, 'other', undefined]);
  });

  it('returns what a single lookup returns, with moments in UTC to the millisecond', async () => {
    const store = operationStore(fixture.database);
    const [found] = await store.findMany([{ projectId: 'p', operationId: 'a' }]);
    expect(found).toEqual(await store.find('p', 'a'));
    expect(found?.createTime).toBe(new Date(createdAt).toISOString());
  });
});
