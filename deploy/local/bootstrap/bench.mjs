import { join } from 'node:path';
import { root, workspaceNode } from './paths.mjs';
import { runChild } from './run-child.mjs';

const bench = join(root, 'tests', 'load', 'dist', 'index.js');

/** `npm run bench [-- options]`: ours and the baselines in turns, figures into BENCHMARKS.md. @returns 0 when every row produced its figures */
export function runBench(args) {
  return runChild(workspaceNode, ['--enable-source-maps', bench, ...args], { isTiedToUs: true });
}
