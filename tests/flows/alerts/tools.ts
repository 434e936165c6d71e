import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

/** Where `npm run metrics:tools` puts them. */
const ownFolder = join(__dirname, '..', '..', '..', '.sluice', 'tools');

/** Path of a program, on PATH or of our own; undefined, said aloud, where it is not to be had. */
export function findTool(tool: 'prometheus' | 'promtool', unchecked: string): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), ownFolder];
  const found = folders.map((folder) => join(folder, tool)).find((file) => existsSync(file));
  if (found === undefined) {
    process.stderr.write(
      `NOT RUN: ${unchecked}, for want of ${tool}. Install it, or: npm run metrics:tools (Debian)\n`,
    );
  }
  return found;
}
