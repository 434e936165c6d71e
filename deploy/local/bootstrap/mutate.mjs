import { join } from 'node:path';
import { root, tool, workspaceNode } from './paths.mjs';
import { isInterrupted, runChild } from './run-child.mjs';

/**
 * `npm run test:mutate`: changes what plans a write and the rules it keeps, and asks whether a test notices. First Stryker, then
 * the numeric limits, each moved by one. @returns 0 when the score is reached and every moved limit was noticed
 */
export async function runMutations() {
  const config = join(root, 'tests', 'mutate', 'stryker.config.mjs');
  const score = await runChild(workspaceNode, [tool('stryker', '@stryker-mutator/core'), 'run', config]);
  if (isInterrupted(score)) return score;
  const limits = await runChild(workspaceNode, [join(root, 'tests', 'mutate', 'move-limits.mjs')]);
  return score || limits;
}
