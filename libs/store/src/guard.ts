import { DefectError, DependencyError, SluiceError } from '@sluice/errors';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  isLostRace,
  isRefusedByServer,
  neverReached,
  refusedStatement,
  refusedValue,
  toStoreError,
} from './database-errors';

/** Repetitions of work that lost a race inside the database. */
const racesMax = 4;

/** Translates errors of the driver. Work that the database aborted because of a lost race, or refused for its stale plan, is repeated. */
export async function guard<T>(work: () => Promise<T>, refused = refusedValue): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt < racesMax && isLostRace(error)) continue;
      throw toStoreError(error, refused);
    }
  }
}

/** A store whose methods are guarded, each as a whole. */
export function guarded<Store extends object>(store: Store, refused = refusedValue): Store {
  const methods = Object.entries(store) as [string, (...given: unknown[]) => Promise<unknown>][];
  const run = methods.map(([name, method]) => [name, (...given: unknown[]) => guard(() => method(...given), refused)]);
  return Object.fromEntries(run) as Store;
}

/** Stores by noun. A statement outside the path of writes has one row, and a refusal of it is a defect. */
export function guardedByNoun<Stores extends Record<string, object>>(stores: Stores): Stores {
  const entries = Object.entries(stores).map(([noun, store]) => [noun, guarded(store, refusedStatement)]);
  return Object.fromEntries(entries) as Stores;
}

/** How long a statement whose commit is unknown is repeated: shorter than a lease, while the caller still waits. */
const persistBudgetMs = 5_000;

/**
 * Does work whose commit may or may not have happened, and repeats it for up to 5 s. The work must store the same rows once, however often it runs.
 * @param work gets whether an earlier try may have been committed, or may be committed yet
 * @throws SluiceError when there is no result. It is a `DependencyError` that is not `retryable` when a try may have been committed: the same
 * request, repeated without a key, could be stored twice.
 */
export async function persist<T>(work: (isInDoubt: boolean) => Promise<T>): Promise<T> {
  const startedAtMs = performance.now();
  let isInDoubt = false;
  let isLastTry = false;
  for (;;) {
    try {
      return await work(isInDoubt);
    } catch (error) {
      const translated = toStoreError(error, refusedValue);
      const isAnswer = error instanceof SluiceError || isRefusedByServer(error);
      isInDoubt ||= !isAnswer && !neverReached(error);
      const isRace = isLostRace(error);
      const isLate = performance.now() - startedAtMs > persistBudgetMs;
      // The row that is in the way is our own: an earlier try was committed after all, and one more finds it.
      isLastTry = isLate && isRace && isInDoubt && !isLastTry;
      const isOver = (isAnswer && !isRace) || (isLate && !isLastTry);
      // A refused value is reported as one: each write is then tried alone, and finds what an earlier try has committed.
      if (isOver)
        throw isInDoubt && (isRace || !(translated instanceof DefectError)) ? outcomeUnknown(error) : translated;
      await sleep(50);
    }
  }
}

/** A write that may have been accepted. */
export function outcomeUnknown(cause?: unknown): DependencyError {
  const detail = 'The database does not answer. It is not known whether the write was accepted.';
  const remedy = 'Repeat the request with the same Idempotency-Key; sent without one, look up its operation first.';
  return new DependencyError({ code: 'service.unavailable', detail, remedy, meta: { retryable: false }, cause });
}

/** Builds what is then sent. A failure here is a defect of ours, and nothing was stored. */
export function beforeSending<T>(build: () => T): T {
  try {
    return build();
  } catch (cause) {
    throw new DefectError({ code: 'service.defect', detail: 'The store failed: this is a defect.', cause });
  }
}
