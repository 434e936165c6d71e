import { existsSync } from 'node:fs';
import process from 'node:process';
import { launcher, tool, workspaceNode } from './paths.mjs';
import { runChild } from './run-child.mjs';

/** Compiles what changed: `tsc -b`, silent when all is up to date. @returns 0, or 1 after the compiler's own words */
export async function compile() {
  if (!existsSync(launcher)) process.stderr.write('Compiling everything for the first time\n');
  const code = await runChild(workspaceNode, [tool('tsc', 'typescript'), '-b'], { stdio: ['ignore', 2, 2] });
  if (code === 0) return 0;
  process.stderr.write('The compiler found errors, so nothing was started.\n');
  return code > 128 ? code : 1;
}
