import process from 'node:process';
import { runBench } from './bench.mjs';
import { withCheckoutLock } from './checkout-lock.mjs';
import { runCheck } from './check.mjs';
import { runCluster } from './cluster.mjs';
import { compile } from './compile.mjs';
import { runFaults } from './faults.mjs';
import { runImages } from './images.mjs';
import { installWhenNeeded } from './install.mjs';
import { launcher, packagesScript, workspaceNode } from './paths.mjs';
import { runChild } from './run-child.mjs';
import { runTests } from './test.mjs';

/** What `deploy/local/dist/index.js` knows. */
const launcherCommands = ['start', 'dev', 'migrate', 'connect', 'certify', 'stack', 'generate'];

/** What is done here. */
const developerCommands = ['test', 'test-full', 'check', 'bench', 'faults', 'images', 'cluster', 'packages'];

/** Commands of earlier versions, and what to use. */
const gone = {
  trace:
    'npm run trace is gone: deploy/compose with observe.yaml has Jaeger, which finds a write by the tag sluice.operation.id.',
};

const [command = '', ...args] = process.argv.slice(2);
process.exitCode = await main();

async function main() {
  if (command in gone) {
    process.stderr.write(`${gone[command]}\n`);
    return 2;
  }
  if (!developerCommands.includes(command) && !launcherCommands.includes(command)) {
    const commands = [...launcherCommands, ...developerCommands].join('|');
    process.stderr.write(`usage: node deploy/local/bootstrap.mjs <${commands}> [args]\n`);
    return 2;
  }
  const prepared = await withCheckoutLock(prepare);
  if (prepared !== 0) return prepared;
  if (command === 'test') return runTests('guard', args);
  if (command === 'test-full') return runTests('full', args);
  if (command === 'check') return runCheck(args);
  if (command === 'bench') return runBench(args);
  if (command === 'faults') return runFaults(args);
  if (command === 'images') return runImages(args);
  if (command === 'cluster') return runCluster(args);
  if (command === 'packages') return runChild(workspaceNode, [packagesScript, ...args]);
  return runChild(workspaceNode, ['--enable-source-maps', launcher, command, ...args], { isTiedToUs: true });
}

async function prepare() {
  const installed = await installWhenNeeded();
  if (installed !== 0) return installed;
  // `check` compiles as one of its own steps, to report on it like on the others.
  if (command === 'check') return 0;
  // The console and the command line compile against the client that it makes.
  return command === 'generate' ? compile('deploy/local') : compile();
}
