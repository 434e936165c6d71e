import { isObject, type JsonObject } from '../crm/json-body';

/** An object with members; undefined for everything else. */
export const membersOf = (value: unknown): JsonObject | undefined => (isObject(value) ? value : undefined);

/** Digits as a JSON number, also those that no JavaScript number can hold. */
export function numberOf(digits: string): unknown {
  const { rawJSON } = JSON as unknown as { rawJSON: (text: string) => unknown };
  return rawJSON(digits);
}

/** User name and password of `Authorization: Basic`. */
export function basicOf(authorization: string | undefined): readonly [user: string, password: string] | undefined {
  const sent = /^Basic\s+(\S+)$/i.exec(authorization ?? '')?.[1];
  if (sent === undefined) return undefined;
  const pair = Buffer.from(sent, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  return colon < 0 ? undefined : [pair.slice(0, colon), pair.slice(colon + 1)];
}

/** What follows a word in `Authorization`. */
export function afterWord(authorization: string | undefined, word: string): string | undefined {
  return new RegExp(`^${word}\\s+(\\S+)\\s*$`, 'i').exec(authorization ?? '')?.[1];
}

type Members = Readonly<Record<string, unknown>>;

/** A body's fields with its custom ones beside the others; undefined where one of these stands outside the member that holds them. */
export function spreadCustom(
  members: Members | undefined,
  at: string,
  custom: readonly string[] = [],
): Members | undefined {
  if (members === undefined || custom.some((name) => Object.hasOwn(members, name))) return undefined;
  const { [at]: inside = {}, ...own } = members;
  const apart = membersOf(inside);
  return apart && { ...own, ...apart };
}

/** A record's fields with its custom ones in the member that holds them, all of them whether set or not. */
export function setApart(fields: Members, at: string, custom: readonly string[] = []): Members {
  const own = Object.entries(fields).filter(([name]) => !custom.includes(name));
  return { ...Object.fromEntries(own), [at]: Object.fromEntries(custom.map((name) => [name, fields[name] ?? null])) };
}
