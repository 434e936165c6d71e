import { ConflictError, ProviderError, ValidationError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import type { KeptKey, KeptReply, KeyClaim, KeyEnding } from '@sluice/store';
import type { GatewayContext } from './context';
import { toEndedWrite } from './ended-write';
import { presentAccepted } from './present-accepted';
import { presentWrite, type EndedWrite } from './present-write';
import type { WriteCall } from './resolve-write';

/** When a repeat of a write that is under way may come again: a synchronous call usually takes less. */
const inFlightRetryAfterMs = 1_000;
/** Lookups of a key that others take and free at the same time, before the caller is asked to retry. */
const looksMax = 3;

/**
 * Performs a write once per `Idempotency-Key`; a repeat gets the first reply again, marked `Idempotent-Replayed: true`.
 * The key's row is made by the commit that accepts the write, so this holds across processes and crashes. Only accepts and
 * final outcomes are kept: what may be tried again frees its key.
 * @throws ValidationError 422 when the key came with another request
 * @throws ConflictError 409 while the first request is under way
 */
export function onceOnly(
  context: GatewayContext,
): (call: WriteCall, write: () => Promise<Reply | 'key-taken'>) => Promise<Reply> {
  return async (call, write) => {
    const claim = call.idempotency;
    for (let look = 1; look <= looksMax; look += 1) {
      const kept = claim && (await context.store.writes.findKey({ projectId: call.names.withinProjectId, ...claim }));
      const known = kept && (await replay(context, call, kept));
      const reply = known ?? (await write());
      if (reply !== 'key-taken') return reply;
    }
    throw inFlight();
  };
}

/** What a settlement does with the key of its write. Undefined: the key stays, and the operation's records answer. */
export function endingOf(claim: KeyClaim | undefined, ended: EndedWrite): KeyEnding | undefined {
  if (claim === undefined) return undefined;
  const { scope, key } = claim;
  try {
    return { scope, key, reply: toKept(presentWrite(ended)) };
  } catch (error) {
    return isFinal(error) ? undefined : { scope, key };
  }
}

/** A create that nobody knows the outcome of. After whatever else is thrown the same request may be made again. */
function isFinal(error: unknown): boolean {
  return error instanceof ProviderError && error.meta['retryable'] === false;
}

/** The first reply; undefined when the key has been freed and the write may be made. */
async function replay(context: GatewayContext, call: WriteCall, kept: KeptKey): Promise<Reply | undefined> {
  if (kept.bodyHash !== call.idempotency?.bodyHash) throw mismatch();
  if (kept.reply !== undefined) return replayed(kept.reply);
  const { withinProjectId: projectId } = call.names;
  const records = await context.store.writes.readEnded(projectId, kept.operationId);
  if (records === undefined) throw inFlight();
  // The write may have ended, and its reply been stored or its key freed, between reading the key and reading the records.
  const settled = await context.store.writes.findKey({ projectId, ...call.idempotency });
  if (settled?.operationId !== kept.operationId) return undefined;
  if (settled.reply !== undefined) return replayed(settled.reply);
  try {
    return replayed(toKept(presentWrite(toEndedWrite(call, kept.operationId, records))));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { class: failed, detail, meta, remedy } = error;
    const more = remedy === undefined ? {} : { remedy };
    if (isFinal(error)) throw new ProviderError({ class: failed, detail, ...more, meta: { ...meta, replayed: true } });
    await context.store.writes.dropKey({ projectId, ...call.idempotency }, kept.operationId);
    return undefined;
  }
}

function toKept({ status = 200, body, headers }: Reply): KeptReply {
  return { kind: 'answered', status, body, ...(headers && { headers }) };
}

function replayed(reply: KeptReply): Reply {
  const { status, body, headers }: Reply = reply.kind === 'accepted' ? presentAccepted(reply) : reply;
  return { ...(status && { status }), body, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
}

function mismatch(): ValidationError {
  const detail = 'came within 72 hours with another method, path or body';
  const issues = [{ in: 'header' as const, name: 'Idempotency-Key', detail }];
  return new ValidationError({
    code: 'request.idempotency-mismatch',
    detail: `This Idempotency-Key ${detail}. Nothing was written.`,
    issues,
  });
}

function inFlight(): ConflictError {
  return new ConflictError({
    code: 'request.idempotency-in-flight',
    detail: 'The first request with this Idempotency-Key is under way. Nothing was written by this one.',
    meta: { retryable: true },
    retryAfterMs: inFlightRetryAfterMs,
  });
}
