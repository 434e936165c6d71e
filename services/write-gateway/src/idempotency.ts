import { createHash } from 'node:crypto';
import { ConflictError, ProviderError, ValidationError } from '@sluice/errors';
import type { Reply } from '@sluice/http';
import type { StoredReply, KeyClaim, KeyEnding } from '@sluice/store';
import { limits, type Caller } from '@sluice/types';
import type { GatewayContext } from './context';
import { presentAccepted, presentWrite, toEndedWrite, type EndedWrite } from './present-write';
import type { WriteCall } from './resolve-write';

/**
 * A write is performed once per `Idempotency-Key`; a repeat gets the first reply again, marked `Idempotent-Replayed: true`.
 * The key's row is made by the commit that accepts the write, so this holds across processes and crashes. Only accepts and
 * final outcomes are kept: what may be tried again frees its key.
 */

/** Keys of this endpoint; another endpoint that takes keys gets a scope of its own. */
const endpointScope = 'write-records';
const keyForm = /^[\x21-\x7e]+$/;
/** When a repeat of a write that is under way may come again: a synchronous call usually takes less. */
const inFlightRetryAfterMs = 1_000;

/** What makes a request the same as another one. */
export interface KeyedRequest {
  readonly caller: Caller;
  /** Decoded parts of the path, as they were sent. */
  readonly path: readonly string[];
  readonly body: unknown;
}

/**
 * Reads `Idempotency-Key` with a hash of what makes two requests the same: method, path and body, the body whatever the
 * order of its members. No query parameter changes a write that is performed.
 * A bearer token has the keys of its group to itself: another group can neither take them nor learn which are taken.
 * @throws ValidationError for an empty key, one of more than 255 characters, or of other characters than visible ASCII
 */
export function readKey(header: string, { caller, path, body }: KeyedRequest): KeyClaim {
  const { idempotencyKeyCharactersMax: max } = limits;
  if (header === '') throw refused('must not be empty; leave it out to write without a key');
  if (header.length > max) throw refused(`may have ${max} characters; this one has ${header.length}`);
  if (!keyForm.test(header)) throw refused('may have visible ASCII characters only, without blanks');
  const bodyHash = createHash('sha256')
    .update(canonicalJson(['POST', path, body]))
    .digest('base64url');
  const { groupRef } = caller;
  const scope = groupRef === undefined ? endpointScope : `${endpointScope}@${groupRef}`;
  return { scope, key: header, bodyHash };
}

/** Equal for equal JSON values, whatever the order in which objects name their members. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`;
}

function refused(detail: string): ValidationError {
  const issues = [{ in: 'header' as const, name: 'Idempotency-Key', detail }];
  return new ValidationError({ code: 'request.invalid', detail: `Idempotency-Key ${detail}.`, issues });
}

/** What a settlement does with the key of its write. Undefined: the key stays, and the operation's records answer. */
export function endingOf(claim: KeyClaim | undefined, ended: EndedWrite): KeyEnding | undefined {
  if (claim === undefined) return undefined;
  const { scope, key } = claim;
  try {
    return { scope, key, reply: toStored(presentWrite(ended)) };
  } catch (error) {
    return isFinal(error) ? undefined : { scope, key };
  }
}

/** A create that nobody knows the outcome of. After whatever else is thrown the same request may be made again. */
function isFinal(error: unknown): boolean {
  return error instanceof ProviderError && error.meta['retryable'] === false;
}

/**
 * The reply of the write that has this key. Undefined: nobody has used it, or it has been freed, and the write may be made.
 * @throws ValidationError 422 when the key came with another request
 * @throws ConflictError 409 while the first request is under way
 */
export async function findReply(context: GatewayContext, call: WriteCall, claim: KeyClaim): Promise<Reply | undefined> {
  const name = { projectId: call.names.withinProjectId, ...claim };
  const kept = await context.store.writes.findKey(name);
  if (kept === undefined) return undefined;
  if (kept.bodyHash !== claim.bodyHash) throw mismatch();
  if (kept.reply !== undefined) return replayed(kept.reply);
  const records = await context.store.writes.readEnded(name.projectId, kept.operationId);
  if (records === undefined) throw inFlight();
  // The write may have ended, and its reply been stored or its key freed, between reading the key and reading the records.
  const settled = await context.store.writes.findKey(name);
  if (settled?.operationId !== kept.operationId) return undefined;
  if (settled.reply !== undefined) return replayed(settled.reply);
  try {
    return replayed(toStored(presentWrite(toEndedWrite(call, kept.operationId, records))));
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    const { class: failed, detail, meta, remedy } = error;
    const more = remedy === undefined ? {} : { remedy };
    if (isFinal(error)) throw new ProviderError({ class: failed, detail, ...more, meta: { ...meta, replayed: true } });
    await context.store.writes.dropKey(name, kept.operationId);
    return undefined;
  }
}

function toStored({ status = 200, body, headers }: Reply): StoredReply {
  return { kind: 'answered', status, body, ...(headers && { headers }) };
}

function replayed(reply: StoredReply): Reply {
  const { status, body, headers }: Reply = reply.kind === 'accepted' ? presentAccepted(reply) : reply;
  return { ...(status && { status }), body, headers: { ...headers, 'Idempotent-Replayed': 'true' } };
}

function mismatch(): ValidationError {
  const detail = `came within ${limits.idempotencyKeyHours} hours with another method, path or body`;
  const issues = [{ in: 'header' as const, name: 'Idempotency-Key', detail }];
  return new ValidationError({
    code: 'request.idempotency-mismatch',
    detail: `This Idempotency-Key ${detail}. Nothing was written.`,
    issues,
  });
}

/** Another request with the key is under way. */
export function inFlight(): ConflictError {
  return new ConflictError({
    code: 'request.idempotency-in-flight',
    detail: 'The first request with this Idempotency-Key is under way. Nothing was written by this one.',
    meta: { retryable: true },
    retryAfterMs: inFlightRetryAfterMs,
  });
}
