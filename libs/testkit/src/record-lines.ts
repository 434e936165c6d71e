import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Replaces the lines of a page that begin with `prefix`, at the place of the first: how new figures get into a page that people write. Where there are
 * none they follow the last line that begins alike (`| F`).
 */
export function recordLines(file: string, prefix: string, lines: readonly string[]): void {
  const page = readFileSync(file, 'utf8').split('\n');
  const first = page.findIndex((line) => line.startsWith(prefix));
  const at = first < 0 ? page.findLastIndex((line) => line.startsWith(prefix.slice(0, 3))) + 1 : first;
  const others = page.filter((line) => !line.startsWith(prefix));
  writeFileSync(file, others.toSpliced(at, 0, ...lines).join('\n'));
}
