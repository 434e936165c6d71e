import { ProviderError, type FailureClass } from '@sluice/errors';
import type { Connector, RecordResult } from '@sluice/connectors';
import type { Clock } from './clock';

/** Waits of one call, at most: limits by the second and by ten seconds are over then. [own] */
const waitsMax = 5;
/** Where the provider does not say how long, in milliseconds. */
const usualMs = 1_000;
/** Longer waits are not waited: a daily limit ends tomorrow. */
const longestMs = 30_000;

/**
 * The same connector, which waits and asks again when a limit is reached: a person's account has other users. Nothing was
 * written then, so a second send is safe.
 */
export function patient(connector: Connector, clock: Clock): Connector {
  const again = <T>(call: () => Promise<T>, limitIn: (outcome: T) => Waiting | undefined) =>
    askAgain(call, limitIn, clock);
  const {
    create,
    update,
    delete: remove,
    createBatch,
    updateBatch,
    readBatch,
    search,
    describe,
    findCreated,
    workspace,
    scopes,
  } = connector;
  return {
    ...connector,
    workspace: (call) => again(() => workspace(call), never),
    ...(scopes && { scopes: (call) => again(() => scopes(call), never) }),
    ...(create && { create: (write) => again(() => create(write), quotaOfResult) }),
    ...(update && { update: (write) => again(() => update(write), quotaOfResult) }),
    ...(remove && { delete: (write) => again(() => remove(write), quotaOfResult) }),
    ...(createBatch && { createBatch: (write) => again(() => createBatch(write), quotaOfAll) }),
    ...(updateBatch && { updateBatch: (write) => again(() => updateBatch(write), quotaOfAll) }),
    ...(readBatch && { readBatch: (read) => again(() => readBatch(read), never) }),
    ...(search && { search: (request) => again(() => search(request), never) }),
    ...(describe && { describe: (call) => again(() => describe(call), never) }),
    ...(findCreated && { findCreated: (call) => again(() => findCreated(call), never) }),
  };
}

interface Waiting {
  readonly class: FailureClass;
  readonly retryAfterMs?: number;
}

async function askAgain<T>(
  call: () => Promise<T>,
  limitIn: (outcome: T) => Waiting | undefined,
  clock: Clock,
): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    let limit: Waiting | undefined;
    let end: () => T;
    try {
      const outcome = await call();
      limit = limitIn(outcome);
      end = () => outcome;
    } catch (error) {
      limit = error instanceof ProviderError ? limitOfError(error) : undefined;
      end = () => {
        throw error;
      };
    }
    const waitMs = limit?.retryAfterMs ?? usualMs;
    if (limit?.class !== 'quota' || waits === waitsMax || waitMs > longestMs) return end();
    await clock.wait(waitMs);
  }
}

function limitOfError(error: ProviderError): Waiting {
  const { retryAfterMs } = error as { readonly retryAfterMs?: number };
  return { class: error.class, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

const never = () => undefined;
const quotaOfResult = (result: RecordResult): Waiting | undefined => (result.ok ? undefined : result.error);
const quotaOfAll = (results: readonly RecordResult[]): Waiting | undefined => {
  const [first, ...others] = results.map(quotaOfResult);
  return others.every((one) => one?.class === first?.class) ? first : undefined;
};
