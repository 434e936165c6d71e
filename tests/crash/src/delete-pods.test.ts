import { deletePods, type Deletion } from './delete-pods';
import type { Pods } from './pods';

/** A cluster in which each service has two pods, and a deleted one is gone for good. */
function cluster(names: readonly string[]): Pods & { readonly left: Set<string> } {
  const left = new Set(names);
  return {
    left,
    list: async (service) => [...left].filter((name) => name.startsWith(service)),
    delete: async (name) => void left.delete(name),
  };
}

const services = ['executor', 'batcher'];
const names = ['executor-a', 'executor-b', 'batcher-a', 'batcher-b'];

it('deletes one pod in the midst of each part of the load, of each service in its turn', async () => {
  const pods = cluster(names);
  const deleter = deletePods({ pods, services, deletions: 4, writes: 400, random: () => 0.5 });
  for (let answered = 1; answered <= 400; answered += 1) deleter.onAnswer(answered);
  const deletions = await deleter.ended();
  expect(
    deletions.map(({ service, isForced, answered }): Partial<Deletion> => ({ service, isForced, answered })),
  ).toEqual([
    { service: 'executor', isForced: true, answered: 50 },
    { service: 'batcher', isForced: true, answered: 150 },
    { service: 'executor', isForced: false, answered: 250 },
    { service: 'batcher', isForced: false, answered: 350 },
  ]);
  expect(pods.left.size).toBe(0);
});

it('counts no deletion that found no pod', async () => {
  const deleter = deletePods({ pods: cluster([]), services, deletions: 2, writes: 10, random: () => 0 });
  deleter.onAnswer(10);
  expect(await deleter.ended()).toEqual([]);
});

// A pod that may not be deleted must not pass for a crash that did no harm.
it('reports what the cluster refused', async () => {
  const forbidden: Pods = { list: async () => ['executor-a'], delete: () => Promise.reject(new Error('answered 403')) };
  const deleter = deletePods({ pods: forbidden, services, deletions: 1, writes: 10, random: () => 0 });
  deleter.onAnswer(10);
  await expect(deleter.ended()).rejects.toThrow('403');
});
