import { CommandFailure, exitCodes } from './failure';

/** A count of more than nothing. @throws CommandFailure */
export function readLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0) return limit;
  throw new CommandFailure(`--limit is "${text}" and must be a whole number above 0.`, exitCodes.usage);
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30m` before now, or the moment itself. @throws CommandFailure */
export function momentOf(text: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const ms = count === undefined ? Date.parse(text) : Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isNaN(ms) && Math.abs(ms) <= 8.64e15) return new Date(ms).toISOString();
  const forms = 'a time such as 30m, 12h or 2d, or a moment such as 2026-01-31T08:00:00Z';
  throw new CommandFailure(`--since is "${text}" and must be ${forms}.`, exitCodes.usage);
}
