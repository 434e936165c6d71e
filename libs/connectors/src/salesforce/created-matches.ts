import type { CreatedMatch, FoundCreated, ProviderRecord } from '../results';
import { earliestMs, type Look, type Rows } from './look';
import { sameValue } from './same-value';

/**
 * What the rows say of one create. `none` is proof, and so a licence to send again, only when no row comes near: a
 * record of ours in which a trigger changed a value must not be made a second time. Where the key is unique the account
 * itself refuses a second one; a row with that key is near whatever else is in it. So it is of `found`, whose matches may be another's.
 * While not all other creates are known, what is equal may be another's too: it is near.
 */
export function decideLook(look: Look, rows: Rows, looks: readonly Look[]): FoundCreated {
  const isMoreDetailed = (record: ProviderRecord) => look.others.some((sent) => differing({ sent }, record) === 0);
  const candidates = rows.records.filter((record) => isCandidate(look, record) && !isMoreDetailed(record));
  const equal = candidates.filter((record) => differing(look, record) === 0);
  const { isUnique } = look.key.field;
  const matches = isUnique || look.othersAreWhole ? equal : [];
  const isAnothers = (record: ProviderRecord) =>
    looks.some((other) => other.index !== look.index && isCandidate(other, record) && differing(other, record) === 0);
  const isNear = (record: ProviderRecord) =>
    isUnique || equal.includes(record) || (differing(look, record) * 2 <= look.sent.length && !isAnothers(record));
  const near = candidates.filter((record) => !matches.includes(record) && isNear(record)).map(({ id }) => id);
  const seen = { consistent: isUnique || rows.isWhole, ...(near.length > 0 && { near }) };
  if (matches.length === 0) return { kind: 'none', ...seen };
  const found = matches.map(toMatch).sort((one, other) => +one.createdAt - +other.createdAt);
  return { kind: 'found', ...seen, matches: found };
}

function isCandidate(look: Look, { createdAt, fields }: ProviderRecord): boolean {
  if (createdAt === undefined || +createdAt < earliestMs(look)) return false;
  const { key } = look;
  return sameValue(key.field, key.value, fields[key.field.name]);
}

function differing({ sent }: Pick<Look, 'sent'>, { fields }: ProviderRecord): number {
  return sent.filter(({ field, value }) => !sameValue(field, value, fields[field.name])).length;
}

function toMatch({ id, createdAt, raw }: ProviderRecord): CreatedMatch {
  return { recordId: id, createdAt: createdAt as Date, data: raw };
}
