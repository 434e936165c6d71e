import { spawn } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** The checkout. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** The Node that the workspace brings, whatever the host has. */
export const workspaceNode = join(root, 'node_modules/node/bin', process.platform === 'win32' ? 'node.exe' : 'node');

/** Make the console's page, the pages of the guide and the API reference, where they are older than their sources. */
export const pageBuilds = ['console', 'guide', 'reference'].map((name) => join(root, 'libs', name, 'build.mjs'));

/** The script behind the command `name` of an installed development tool. */
export function tool(name, inPackage = name) {
  const folder = join(root, 'node_modules', inPackage);
  const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return join(folder, typeof bin === 'string' ? bin : bin[name]);
}

/** What `npm run` adds is about npm's own call and would steer a package manager below it. */
const added = /^npm_(config|package|lifecycle|command|execpath|node_execpath|old_)/i;
/** How a machine reaches its registry, and where it keeps what it fetched, stays. */
const kept =
  /^npm_config_(@[^:]*:)?(registry|userconfig|globalconfig|ca|cafile|cert|key|strict_ssl|(https?_)?proxy|noproxy|cache|store_dir|offline|prefer_offline|fetch_.*|maxsockets)$|^npm_config_(\/\/|_auth)/i;

/** Our environment without npm's additions. */
export function plainEnvironment(env = process.env) {
  const own = Object.entries(env).filter(([name]) => kept.test(name.replaceAll('-', '_')) || !added.test(name));
  // pnpm's start scripts set it, and every package could then import what it does not declare.
  return Object.fromEntries(own.filter(([name]) => name !== 'NODE_PATH'));
}

/** What Node compiled of a script, for its next process: some hundred start in a run of the tests, each a sixth cheaper to start with it. */
const compiled = join(root, '.sluice', 'compiled');

/** The same, with the workspace's Node as `node`. */
export function childEnvironment() {
  const env = plainEnvironment();
  return {
    NODE_COMPILE_CACHE: compiled,
    ...env,
    PATH: [dirname(workspaceNode), env.PATH].filter(Boolean).join(delimiter),
  };
}

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a program to its end and hands signals on to it. When the npm that runs us is gone, the program gets SIGTERM.
 * @param options.stdio as for spawn; default: ours
 * @param options.isTiedToUs the child hears (event `disconnect`) when we are killed
 * @param options.onSpawn called with the child
 * @returns {Promise<number>} its exit code; 128 + the number of the signal that ended it
 */
export function runChild(program, args, options = {}) {
  const { stdio = ['inherit', 'inherit', 'inherit'], env = childEnvironment(), isTiedToUs = false, onSpawn } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, env, stdio: isTiedToUs ? [...stdio, 'ipc'] : stdio });
    const stop = passSignalsTo(child);
    onSpawn?.(child);
    child.once('error', (error) => {
      stop();
      process.stderr.write(`${program} cannot be started: ${error.message}\n`);
      resolve(127);
    });
    child.once('exit', (code, signal) => {
      stop();
      resolve(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

/** Whether an exit code says that the user asked to stop. */
export const isInterrupted = (code) => passedOn.some((signal) => code === 128 + constants.signals[signal]);

function passSignalsTo(child) {
  const pass = (signal) => {
    // Ctrl-C in a terminal reaches the whole group; a second one would mean "at once" to the child.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, pass);
  const above = processesAbove();
  const watch = setInterval(() => {
    if (process.env.npm_lifecycle_event === undefined || processesAbove() === above) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 250);
  return () => {
    for (const signal of passedOn) process.off(signal, pass);
    clearInterval(watch);
  };
}

/**
 * The shells above us, up to the npm (or pnpm) that runs us. They change when it is gone: it hands signals on only to its own child, a shell, which
 * dies of them without a word to us; and killed, it can tell nobody.
 */
function processesAbove() {
  if (process.platform !== 'linux') return String(process.ppid);
  const chain = [process.ppid];
  try {
    // Not the name in `stat`: a script goes by its own name there.
    while (/^(ba|da|z|k|a)?sh$/.test(basename(readlinkSync(`/proc/${chain.at(-1)}/exe`)))) {
      const stat = readFileSync(`/proc/${chain.at(-1)}/stat`, 'utf8');
      chain.push(Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    }
  } catch {
    // One is gone, or is another user's.
  }
  return chain.join();
}
