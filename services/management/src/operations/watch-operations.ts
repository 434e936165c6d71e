import { coalesce, type Store } from '@sluice/store';
import type { Logger } from '@sluice/telemetry';
import type { Operation } from '@sluice/types';

/** Names one operation. */
export interface OperationKey {
  readonly projectId: string;
  readonly operationId: string;
}

/** Waiting for operations to end, without a database connection or a timer per waiter. */
export interface OperationWatch {
  /** Resolves when the operation has ended, `waitMs` are over, the caller has left, or the watch stops. Never rejects. */
  wait(key: OperationKey, waitMs: number, signal: AbortSignal): Promise<void>;
  /** Lets every waiter go; later ones do not wait. */
  stop(): void;
}

/** Shortest pause between two polls: how late a waiter may learn of the end. */
const pauseMinMs = 100;
/** Share of the time that polls may take: many waiters make slower polls and longer pauses, never a busier database. */
const pollingShare = 0.1;

type Waiter = OperationKey & { readonly leave: () => void };

/** One statement polls for all waiters of the process, however many there are. */
export function watchOperations(store: Pick<Store, 'operations'>, logger: Logger): OperationWatch {
  const waiters = new Set<Waiter>();
  let isPolling = false;
  let isStopped = false;

  const poll = async (): Promise<void> => {
    const ended = await store.operations.findEnded([...waiters]);
    for (const waiter of waiters) if (ended.has(waiter.operationId)) waiter.leave();
  };
  const keepPolling = async (): Promise<void> => {
    if (isPolling) return;
    isPolling = true;
    let tookMs = 0;
    while (waiters.size > 0) {
      const pauseMs = Math.max(pauseMinMs, tookMs / pollingShare - tookMs);
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
      const startedAtMs = performance.now();
      // The read at the end of the wait reports what is wrong; here the next poll is enough.
      await poll().catch((error: unknown) => logger.warn({ error }, 'operation.poll-failed'));
      tookMs = performance.now() - startedAtMs;
    }
    isPolling = false;
  };
  return {
    wait: (key, waitMs, signal) =>
      new Promise((resolve) => {
        if (isStopped || signal.aborted) return resolve();
        const leave = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', leave);
          waiters.delete(waiter);
          resolve();
        };
        const waiter = { ...key, leave };
        const timer = setTimeout(leave, waitMs);
        signal.addEventListener('abort', leave);
        waiters.add(waiter);
        void keepPolling();
      }),
    stop: () => {
      isStopped = true;
      for (const { leave } of waiters) leave();
    },
  };
}

/** Operations of one statement, and statements at once: many callers that poll share few. */
const operationsPerRead = 100;
const readsMax = 2;
/** A second statement is worth its round trip for this many: half of the callers that a busy process has at once. */
const beside = 50;

/** Finds an operation as it is now; undefined when the project has no such operation. */
export type ReadOperation = (key: OperationKey) => Promise<Operation | undefined>;

/** What is asked for while a statement is under way shares the next one: polling is most of what this API does. */
export function operationReader({ operations }: Pick<Store, 'operations'>): ReadOperation {
  return coalesce<OperationKey, Operation | undefined>({
    run: (keys) => operations.findMany(keys),
    itemsMax: operationsPerRead,
    runsMax: readsMax,
    itemsMin: beside,
  });
}
