import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

/** Programs that render and judge charts. */
export type Tool = 'helm' | 'kubectl-validate';

/** Where `npm run chart:tools` puts them. */
const ownFolder = join(__dirname, '..', '..', '.sluice', 'tools');

/**
 * Path of a program: on PATH, or made by `npm run chart:tools`.
 * @returns undefined, said aloud, where neither gives it: what needs it is not checked then
 */
export function findTool(tool: Tool): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), ownFolder];
  const found = folders.map((folder) => join(folder, tool)).find((file) => existsSync(file));
  if (found === undefined) {
    process.stderr.write(
      `NOT CHECKED: the chart, for want of ${tool}. Install it, or: npm run chart:tools (needs Go)\n`,
    );
  }
  return found;
}

export const helm = findTool('helm') ?? '';
/** What needs helm where it is not to be had is skipped; the search for it has said so, loudly. */
export const withHelm = helm === '' ? it.skip : it;
