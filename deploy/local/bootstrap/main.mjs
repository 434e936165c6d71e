import { existsSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { pageBuilds, plainEnvironment, root, runChild, tool, workspaceNode } from './child.mjs';
import { runCheck } from './check.mjs';
import { runCluster, runFaults, runImages } from './test-elsewhere.mjs';
import { runTests } from './test.mjs';
import { runVersions } from './versions.mjs';

const launcher = join(root, 'deploy/local/dist/index.js');
const runNode = (...args) => runChild(workspaceNode, args, { isTiedToUs: true });

/** What is done here. */
const commands = {
  test: (args) => runTests('guard', args),
  'test-full': (args) => runTests('full', args),
  check: runCheck,
  bench: (args) => runNode('--enable-source-maps', join(root, 'tests/load/dist/index.js'), ...args),
  faults: runFaults,
  images: runImages,
  cluster: runCluster,
  versions: runVersions,
  packages: (args) => runNode(join(root, 'deploy/release/packages.mjs'), ...args),
};
/** What the launcher knows. */
for (const name of ['start', 'dev', 'migrate', 'connect', 'certify', 'stack', 'generate']) {
  commands[name] = (args) => runNode('--enable-source-maps', launcher, name, ...args);
}

/** Commands of earlier versions, and what to use. */
const gone = {
  trace:
    'npm run trace is gone: deploy/compose with observe.yaml has Jaeger, which finds a write by the tag sluice.operation.id.',
};

const [command = '', ...args] = process.argv.slice(2);

async function main() {
  if (!(command in commands)) {
    const usage = `usage: node deploy/local/bootstrap.mjs <${Object.keys(commands).join('|')}> [args]`;
    process.stderr.write(`${gone[command] ?? usage}\n`);
    return 2;
  }
  const prepared = await withCheckoutLock(async () => (await install()) || (await compile()));
  return prepared === 0 ? commands[command](args) : prepared;
}

/** Only one command at a time installs and compiles in a checkout; the others wait for it and find it done. */
async function withCheckoutLock(work) {
  const lock = join(root, '.sluice/bootstrap.lock');
  mkdirSync(join(root, '.sluice'), { recursive: true });
  for (let attempts = 0; !take(lock); attempts += 1) {
    if (attempts === 20) say('Waiting for another command that installs or compiles in this checkout');
    await delay(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned(lock)) rmSync(lock, { force: true });
    return false;
  }
}

/** A lock this old has no owner: its process id may belong to another process by now. */
const oldMs = 15 * 60_000;

function isAbandoned(lock) {
  try {
    if (Date.now() - statSync(lock).mtimeMs > oldMs) return true;
    const holder = Number(readFileSync(lock, 'utf8'));
    return holder > 0 && !process.kill(holder, 0);
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Standard output belongs to the command that follows. */
const toStderr = ['inherit', 2, 2];

/** Installs when nothing is installed or the lockfile is newer. @returns the exit code, 0 when there was nothing to do */
async function install() {
  // Written by pnpm at the end of an install, and left as it is when there was nothing to change.
  const mark = join(root, 'node_modules/.modules.yaml');
  const isDone = existsSync(mark) && existsSync(workspaceNode);
  if (isDone && statSync(mark).mtimeMs >= statSync(join(root, 'pnpm-lock.yaml')).mtimeMs) return 0;
  // `pnpm@10.34.9` of `pnpm@10.34.9+sha512.…`.
  const [pnpm] = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager.split('+');
  say(`Installing what the lockfile names, with ${pnpm} (the first time takes about a minute)`);
  const words = ['--yes', pnpm, 'install', '--frozen-lockfile', '--config.confirmModulesPurge=false'];
  // With the host's Node: the workspace's may be replaced while it installs.
  const code = await runChild('npx', words, { stdio: toStderr, env: plainEnvironment() });
  if (code === 0) utimesSync(mark, new Date(), new Date());
  else say('The install failed, so nothing was started. The reason stands above.');
  return code;
}

/** Compiles what changed, then the pages that are older than their sources; silent when all is up to date. @returns 0, or 1 after the compiler's own words */
async function compile() {
  // `check` compiles as one of its own steps, to report on it like on the others.
  if (command === 'check') return 0;
  if (!existsSync(launcher)) say('Compiling everything for the first time');
  // Of `generate` only what it needs: the console and the command line compile against the client that it makes.
  const isGenerating = command === 'generate';
  const steps = [
    [tool('tsc', 'typescript'), '-b', ...(isGenerating ? ['deploy/local'] : [])],
    ...(isGenerating ? [] : pageBuilds.map((build) => [build])),
  ];
  for (const step of steps) {
    const code = await runChild(workspaceNode, step, { stdio: ['ignore', 2, 2] });
    if (code === 0) continue;
    say('The compiler found errors, so nothing was started.');
    return code > 128 ? code : 1;
  }
  return 0;
}

function say(line) {
  process.stderr.write(`${line}\n`);
}

// Last: what is declared above is there only now.
process.exitCode = await main();
