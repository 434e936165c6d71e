import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { root } from './paths.mjs';

const folder = join(root, '.sluice');
const lock = join(folder, 'bootstrap.lock');
/** A lock this old belongs to nobody: the number in it may be another process by now. */
const oldMs = 15 * 60_000;

/** Only one command at a time installs and compiles in a checkout; the others wait for it and find it done. */
export async function withCheckoutLock(work) {
  mkdirSync(folder, { recursive: true });
  for (let attempts = 0; !take(); attempts += 1) {
    if (attempts === 20)
      process.stderr.write('Waiting for another command that installs or compiles in this checkout\n');
    await delay(100);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

function take() {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (isAbandoned()) rmSync(lock, { force: true });
    return false;
  }
}

function isAbandoned() {
  try {
    if (Date.now() - statSync(lock).mtimeMs > oldMs) return true;
    const holder = Number(readFileSync(lock, 'utf8'));
    if (holder > 0) process.kill(holder, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
