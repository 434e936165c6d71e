import { createHash } from 'node:crypto';
import { ValidationError } from '@sluice/errors';
import type { KeyClaim } from '@sluice/store';
import { limits, type Caller } from '@sluice/types';

/** Keys of this endpoint; another endpoint that takes keys gets a scope of its own. */
const endpointScope = 'write-records';
const keyForm = /^[\x21-\x7e]+$/;

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
export function readKey(header: string | undefined, { caller, path, body }: KeyedRequest): KeyClaim | undefined {
  if (header === undefined) return undefined;
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

/** Names a key among those of all projects, for what must not put two of one key together. */
export function nameOfKey(projectId: string, claim: KeyClaim | undefined): string | undefined {
  return claim && `${projectId}\n${claim.scope}\n${claim.key}`;
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
