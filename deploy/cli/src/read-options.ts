import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import { CommandFailure, exitCodes } from './failure';

/** The members that were given: an API takes none that is undefined. */
export function given<T extends object>(options: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const members = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as ReturnType<typeof given<T>>;
}

/** Items of a list that comes in pages, `limit` at most. */
export async function collect<Item>(items: AsyncIterable<Item>, limit = Infinity): Promise<readonly Item[]> {
  const found: Item[] = [];
  for await (const item of items) if (found.push(item) >= limit) break;
  return found;
}

/** A count of more than nothing. @throws CommandFailure */
export function readLimit(limit: string): number {
  const count = Number(limit);
  if (Number.isInteger(count) && count > 0) return count;
  throw new CommandFailure(`--limit is "${limit}" and must be a whole number above 0.`, exitCodes.usage);
}

/** @param option its name: `--wait` @throws CommandFailure */
export function readSeconds(option: string, seconds: string): number {
  if (seconds !== '' && Number(seconds) >= 0) return Number(seconds);
  throw new CommandFailure(`${option} is "${seconds}" and must be a number of seconds.`, exitCodes.usage);
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `30m` before now, or the moment itself. @throws CommandFailure */
export function momentOf(since: string): string {
  const [, count, unit] = /^(\d+)([smhd])$/.exec(since) ?? [];
  const ms = count === undefined ? Date.parse(since) : Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs];
  if (!Number.isNaN(ms) && Math.abs(ms) <= 8.64e15) return new Date(ms).toISOString();
  const forms = 'a time such as 30m, 12h or 2d, or a moment such as 2026-01-31T08:00:00Z';
  throw new CommandFailure(`--since is "${since}" and must be ${forms}.`, exitCodes.usage);
}

/** What a file holds, or with `-` standard input. @throws CommandFailure also where that is no UTF-8: it would be read as another text */
export async function readInput(file: string): Promise<string> {
  const bytes = file === '-' ? await buffer(process.stdin) : readBytes(file);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  throw new CommandFailure(`${file === '-' ? 'Standard input' : file} is not valid UTF-8. Save it as UTF-8.`);
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandFailure(
      code === 'ENOENT' ? `There is no file ${file}.` : `${file} cannot be read: ${code ?? String(error)}`,
    );
  }
}
