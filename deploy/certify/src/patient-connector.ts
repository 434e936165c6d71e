import { ProviderError, type FailureClass } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { Clock } from './trial';

/** Waits of one call, at most: limits by the second and by ten seconds are over then. [own] */
const waitsMax = 5;
/** Where the provider does not say how long, in milliseconds. */
const usualMs = 1_000;
/** Longer waits are not waited: a daily limit ends tomorrow. */
const longestMs = 30_000;

/** What sends a request to the account. */
const sending = [
  'workspace',
  'scopes',
  'describe',
  'create',
  'update',
  'delete',
  'createBatch',
  'updateBatch',
  'readBatch',
  'search',
  'findCreated',
] as const;

/**
 * The same connector, which waits and sends again when a limit is reached: a person's account has other users. Nothing was
 * written then, so a second send is safe.
 */
export function patient(connector: Connector, clock: Clock): Connector {
  const methods = sending.flatMap((name) => {
    const send = connector[name] as Send | undefined;
    return send ? [[name, (request: unknown) => sendPatiently(() => send(request), clock)]] : [];
  });
  return { ...connector, ...(Object.fromEntries(methods) as Partial<Connector>) };
}

type Send = (request: unknown) => Promise<unknown>;

interface Failure {
  readonly class: FailureClass;
  readonly retryAfterMs?: number;
}

async function sendPatiently(send: () => Promise<unknown>, clock: Clock): Promise<unknown> {
  for (let waits = 0; ; waits += 1) {
    const outcome = await send().catch((error: unknown) => ({ thrown: error }));
    const isThrown = typeof outcome === 'object' && outcome !== null && 'thrown' in outcome;
    const failure = isThrown ? failureOf(outcome.thrown) : failureIn(outcome);
    const waitMs = failure?.retryAfterMs ?? usualMs;
    if (failure?.class === 'quota' && waits < waitsMax && waitMs <= longestMs) await clock.wait(waitMs);
    else if (isThrown) throw outcome.thrown;
    else return outcome;
  }
}

function failureOf(error: unknown): Failure | undefined {
  return error instanceof ProviderError ? error : undefined;
}

/** The failure of a result; of several that all failed alike, the first. */
function failureIn(outcome: unknown): Failure | undefined {
  if (!Array.isArray(outcome)) return (outcome as { readonly error?: Failure } | undefined)?.error;
  const [first, ...others] = outcome.map(failureIn);
  return others.every((one) => one?.class === first?.class) ? first : undefined;
}
