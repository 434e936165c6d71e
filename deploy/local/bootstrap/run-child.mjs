import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import process from 'node:process';
import { childEnvironment } from './environment.mjs';
import { watchPackageManager } from './parent-watch.mjs';
import { root } from './paths.mjs';

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
export function isInterrupted(code) {
  return passedOn.some((signal) => code === 128 + constants.signals[signal]);
}

function passSignalsTo(child) {
  const pass = (signal) => {
    // Ctrl-C in a terminal reaches the whole group; a second one would mean "at once" to the child.
    if (signal === 'SIGINT' && process.stdin.isTTY) return;
    child.kill(signal);
  };
  for (const signal of passedOn) process.on(signal, pass);
  const endWatch = watchPackageManager(() => child.kill('SIGTERM'));
  return () => {
    for (const signal of passedOn) process.off(signal, pass);
    endWatch();
  };
}
