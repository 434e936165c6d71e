/** Moments so far from the run are those of the account's life: when somebody was born, joined, was written to. In milliseconds. [own] */
const nearMs = 24 * 3_600_000;

/** A day, as a part of a pattern. */
export const daySource = String.raw`\d{4}-\d\d-\d\d`;
const time = String.raw`[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`;
/** A moment or a day, as a part of a pattern. */
export const momentSource = `${daySource}(?:${time})?`;
const moment = new RegExp(`^${momentSource}$`);
/** Milliseconds since 1970, from 2017 to 2033. */
const epoch = /^1[5-9]\d{11}$/;

/** Keeps moments of the run, which prove what was made when, and puts one that is nobody's in place of others. */
export function momentsAround(startedAt: string): (text: string) => string | undefined {
  const startedMs = Date.parse(startedAt);
  const isNear = (ms: number) => Math.abs(ms - startedMs) <= nearMs;
  return (text) => {
    if (epoch.test(text)) return isNear(Number(text)) ? text : undefined;
    if (!moment.test(text)) return undefined;
    const isKept = isNear(Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')));
    return isKept ? text : `2000-01-01${text.slice(10).replace(/\d/g, '0')}`;
  };
}
