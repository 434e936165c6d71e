import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { repositoryRoot } from '../repository-root';
import { recordProcess } from '../run-folder/process-records';
import { createPrinter, printOutput } from './prefixed-output';

/**
 * Compiles what changes, for as long as we run; noted in the folder, for the next run to end if we are killed.
 * @returns a function that ends it
 */
export function watchCompiler(folder: string, env: Readonly<Record<string, string>>): () => Promise<void> {
  const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
  const child = spawn(process.execPath, [tsc, '-b', '--watch', '--preserveWatchOutput'], {
    cwd: repositoryRoot,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid !== undefined) recordProcess(folder, 'tsc', child.pid);
  printOutput(child, createPrinter('tsc'));
  return async () => {
    child.kill('SIGTERM');
  };
}
