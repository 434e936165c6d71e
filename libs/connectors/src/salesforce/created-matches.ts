import type { CreatedMatch, FoundCreated, ProviderRecord } from '../results';
import { earliestMs, type Look, type Rows } from './look';
import { sameValue } from './same-value';

/**
 * What the rows say of one create. `none` is proof, and so a licence to send again, only when no row comes near: a
 * record of ours in which a trigger changed a value must not be made a second time. Where the key is unique the account
 * itself refuses a second one, so there it is proof in any case.
 */
export function decideLook(look: Look, rows: Rows, looks: readonly Look[]): FoundCreated {
  const candidates = rows.records.filter((record) => isCandidate(look, record));
  const matches = candidates.filter((record) => differing(look, record) === 0);
  if (matches.length > 0) {
    const found = matches.map(toMatch).sort((one, other) => +one.createdAt - +other.createdAt);
    return { kind: 'found', consistent: true, matches: found };
  }
  if (look.key.field.isUnique) return { kind: 'none', consistent: true };
  const isAnothers = (record: ProviderRecord) =>
    looks.some((other) => other !== look && isCandidate(other, record) && differing(other, record) === 0);
  const isNear = candidates.some((record) => differing(look, record) * 2 <= look.sent.length && !isAnothers(record));
  return { kind: 'none', consistent: !isNear && rows.isWhole };
}

function isCandidate(look: Look, { createdAt, fields }: ProviderRecord): boolean {
  if (createdAt === undefined || +createdAt < earliestMs(look)) return false;
  const { key } = look;
  return sameValue(key.field, key.value, fields[key.field.name]);
}

function differing({ sent }: Look, { fields }: ProviderRecord): number {
  return sent.filter(({ field, value }) => !sameValue(field, value, fields[field.name])).length;
}

function toMatch({ id, createdAt, raw }: ProviderRecord): CreatedMatch {
  return { recordId: id, createdAt: createdAt as Date, data: raw };
}
