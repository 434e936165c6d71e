import type { Store } from '@sluice/store';
import { sharingReads } from './coalesce';

/** A store that records the keys of each statement, and returns the keys themselves. */
function store() {
  const statements: string[] = [];
  const answering =
    <Key>(what: string, nameOf: (key: Key) => string) =>
    (keys: readonly Key[]): Promise<string[]> => {
      statements.push(`${what} ${keys.map(nameOf).join()}`);
      return Promise.resolve(keys.map(nameOf));
    };
  const real = {
    connections: { findManyCredentials: answering<{ connectionId: string }>('credentials', (key) => key.connectionId) },
    installationLookup: { findManyIds: answering<{ groupRef: string }>('installations', (key) => key.groupRef) },
    writes: { readLaneBlocks: answering<{ laneId: string }>('blocks', (key) => key.laneId) },
  };
  return { statements, shared: sharingReads(real as unknown as Store) };
}

const names = (groupRef: string) => ({
  withinProjectId: 'p1',
  projectIdOrName: 'p1',
  integrationId: 'i1',
  groupRef,
});

// Sixteen callers of one moment cost three statements, not forty-eight.
it('shares one statement of each kind among the reads of one moment, and gives each its own result', async () => {
  const { statements, shared } = store();
  const ids = ['a', 'b', 'c'];
  const answers = await Promise.all([
    ...ids.map((id) => shared.installationLookup.findIds(names(id))),
    ...ids.map((id) => shared.writes.readLaneBlock({ projectId: 'p1', laneId: id })),
    ...ids.map((id) => shared.connections.findCredentials('p1', id)),
  ]);
  expect(answers).toEqual([...ids, ...ids, ...ids]);
  expect(statements.sort()).toEqual(['blocks a,b,c', 'credentials a,b,c', 'installations a,b,c']);
});

// A block, a token or a config that was changed before is in force for whoever asks.
it('keeps nothing: who asks later has a statement of his own', async () => {
  const { statements, shared } = store();
  await shared.writes.readLaneBlock({ projectId: 'p1', laneId: 'a' });
  await shared.writes.readLaneBlock({ projectId: 'p1', laneId: 'a' });
  expect(statements).toEqual(['blocks a', 'blocks a']);
});
