/**
 * The way into a checkout: `node deploy/local/bootstrap.mjs <command> [args]`, on any Node from 20 on, with nothing
 * installed. Installs and compiles when needed, then runs the command under the workspace's own Node.
 */
import process from 'node:process';
import { runBench } from './bootstrap/bench.mjs';
import { withCheckoutLock } from './bootstrap/checkout-lock.mjs';
import { runCheck } from './bootstrap/check.mjs';
import { runCluster } from './bootstrap/cluster.mjs';
import { compile } from './bootstrap/compile.mjs';
import { runFaults } from './bootstrap/faults.mjs';
import { runImages } from './bootstrap/images.mjs';
import { installWhenNeeded } from './bootstrap/install.mjs';
import { runMutations } from './bootstrap/mutate.mjs';
import { launcher, workspaceNode } from './bootstrap/paths.mjs';
import { runChild } from './bootstrap/run-child.mjs';
import { runTests } from './bootstrap/test.mjs';

/** What `deploy/local/dist/index.js` knows. */
const launcherCommands = ['start', 'dev', 'migrate', 'connect', 'certify', 'stack', 'generate', 'trace'];

/** What is done here. */
const developerCommands = ['test', 'check', 'mutate', 'bench', 'faults', 'images', 'cluster'];

/** The package manager's npm wants it, and says so in words that help nobody. README names it. */
const oldestNode = 20;

const [command = '', ...args] = process.argv.slice(2);
process.exitCode = await main();

async function main() {
  if (!developerCommands.includes(command) && !launcherCommands.includes(command)) {
    const commands = [...launcherCommands, ...developerCommands].join('|');
    process.stderr.write(`usage: node deploy/local/bootstrap.mjs <${commands}> [args]\n`);
    return 2;
  }
  if (Number.parseInt(process.versions.node) < oldestNode) {
    const here = `This is Node ${process.versions.node}, of ${process.execPath}.`;
    const remedy = `Install one, or run the same with: npx node@24 deploy/local/bootstrap.mjs ${command}`;
    process.stderr.write(`Sluice is installed and started with Node ${oldestNode} or later. ${here}\n${remedy}\n`);
    return 2;
  }
  const prepared = await withCheckoutLock(prepare);
  if (prepared !== 0) return prepared;
  if (command === 'test') return runTests(args);
  if (command === 'check') return runCheck();
  if (command === 'mutate') return runMutations();
  if (command === 'bench') return runBench(args);
  if (command === 'faults') return runFaults(args);
  if (command === 'images') return runImages(args);
  if (command === 'cluster') return runCluster(args);
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
