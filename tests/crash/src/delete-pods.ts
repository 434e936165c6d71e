import type { Pods } from './pods';

/** A pod that was deleted while the load ran. */
export interface Deletion {
  readonly service: string;
  readonly pod: string;
  readonly isForced: boolean;
  /** After how many answers. */
  readonly answered: number;
}

export interface Deleting {
  readonly pods: Pods;
  /** Each loses a pod in its turn. */
  readonly services: readonly string[];
  readonly deletions: number;
  readonly writes: number;
  readonly random: () => number;
  readonly onDeleted?: (deletion: Deletion) => void;
}

export interface Deleter {
  /** Called at each answer, with how many there are. */
  onAnswer(answered: number): void;
  /** Resolves when what was begun has been done. @throws what the cluster refused */
  ended(): Promise<readonly Deletion[]>;
}

/**
 * Divides the load into as many parts as there are deletions and deletes one pod in the midst of each, at a moment that `random` chooses;
 * every other one without grace.
 */
export function deletePods({ pods, services, deletions, writes, random, onDeleted }: Deleting): Deleter {
  const part = writes / deletions;
  const moments = Array.from({ length: deletions }, (_, at) => Math.ceil(part * (at + 0.2 + 0.6 * random())));
  const begun: Promise<Deletion | undefined>[] = [];
  const deleteOne = async (at: number, answered: number): Promise<Deletion | undefined> => {
    const service = services[at % services.length] ?? '';
    const names = await pods.list(service);
    const pod = names[Math.floor(random() * names.length)];
    // Every pod of it may be on its way out just now.
    if (pod === undefined) return undefined;
    const isForced = Math.floor(at / services.length) % 2 === 0;
    await pods.delete(pod, isForced);
    const deletion = { service, pod, isForced, answered };
    onDeleted?.(deletion);
    return deletion;
  };
  return {
    onAnswer: (answered) => {
      while (begun.length < deletions && answered >= (moments[begun.length] ?? Infinity)) {
        const at = begun.length;
        // One after the other, so that no two choose the same pod. `ended` reports a refusal.
        const before = begun.at(-1)?.catch(() => undefined) ?? Promise.resolve();
        const deleting = before.then(() => deleteOne(at, answered));
        deleting.catch(() => undefined);
        begun.push(deleting);
      }
    },
    ended: async () => (await Promise.all(begun)).flatMap((deletion) => deletion ?? []),
  };
}
