import { existsSync } from 'node:fs';
import process from 'node:process';
import { launcher, pageBuilds, tool, workspaceNode } from './paths.mjs';
import { runChild } from './run-child.mjs';

/**
 * Compiles what changed: `tsc -b`, then the pages of console and guide; silent when all is up to date.
 * @param projects folders of packages that are enough, with what they need; without any: all, and the pages
 * @returns 0, or 1 after the compiler's own words
 */
export async function compile(...projects) {
  if (!existsSync(launcher)) process.stderr.write('Compiling everything for the first time\n');
  let code = 0;
  const steps = [
    [tool('tsc', 'typescript'), '-b', ...projects],
    ...(projects.length > 0 ? [] : pageBuilds.map((build) => [build])),
  ];
  for (const args of steps) {
    if (code === 0) code = await runChild(workspaceNode, args, { stdio: ['ignore', 2, 2] });
  }
  if (code === 0) return 0;
  process.stderr.write('The compiler found errors, so nothing was started.\n');
  return code > 128 ? code : 1;
}
