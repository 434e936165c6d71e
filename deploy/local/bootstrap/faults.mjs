import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment } from './environment.mjs';
import { root, tool, workspaceNode } from './paths.mjs';
import { readOptions } from './read-options.mjs';
import { runChild } from './run-child.mjs';

const usage = 'usage: npm run test:faults -- [--full] [--row F3[,F6]]... [--seed 7]';

/**
 * `npm run test:faults`: the rows of the fault matrix, all or some, at the size of `npm test` or at full size, on services of their
 * own. Each prints one JSON line; with `--full` it is also added to `tests/faults/results.jsonl`.
 * @returns 0 when every row held
 */
export async function runFaults(args) {
  const choice = readChoice(args);
  if (choice === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const { full, row, seed } = choice;
  const env = {
    ...childEnvironment(),
    FAULTS_SEED: seed,
    ...(full ? { FAULTS_FULL: 'true' } : {}),
    ...(row === undefined ? {} : { FAULTS_ROWS: row.join() }),
  };
  const config = join(root, 'tests', 'faults', 'jest.config.js');
  return await runChild(
    workspaceNode,
    [tool('jest'), '-c', config, '--runInBand', '--testPathPatterns', 'faults/rows'],
    { env },
  );
}

function readChoice(args) {
  const values = readOptions(args, {
    full: { type: 'boolean' },
    row: { type: 'string', multiple: true },
    seed: { type: 'string', default: '7' },
  });
  return /^\d+$/.test(values?.seed) ? values : undefined;
}
