const dateShape = /^(\d{4})-(\d{2})-(\d{2})$/;
const datetimeShape = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** A moment as it stands in replies: `2026-01-01T00:00:00.000+0000`. */
export const wireMoment = (at: Date): string => at.toISOString().replace('Z', '+0000');

/** A day that exists, `YYYY-MM-DD`. */
export function isDate(text: string): boolean {
  const [, year, month, day] = dateShape.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** A moment in one of the ISO forms that Salesforce reads: with a zone, with or without seconds and their parts. */
export function readMoment(text: string): Date | undefined {
  if (!datetimeShape.test(text)) return undefined;
  // JavaScript wants the colon in a zone that Salesforce itself writes without.
  const moment = new Date(text.replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}
