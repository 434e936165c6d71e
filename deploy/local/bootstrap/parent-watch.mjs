import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';

/**
 * Calls back once when the npm (or pnpm) that runs us is gone. It hands signals on only to its own child, a shell, which
 * dies of them without a word to us; and killed, it can tell nobody.
 * @returns a function that ends the watch
 */
export function watchPackageManager(onGone) {
  if (process.env.npm_lifecycle_event === undefined) return () => undefined;
  const chain = ancestors();
  const watch = setInterval(
    () => {
      if (isWhole(chain)) return;
      clearInterval(watch);
      onGone();
    },
    process.platform === 'linux' ? 250 : 1000,
  );
  watch.unref();
  return () => clearInterval(watch);
}

/** Us, the shells above us, and the first that is no shell. */
function ancestors() {
  const chain = [{ pid: process.pid, isShell: true }];
  while (chain.at(-1).isShell && chain.length < 6) {
    const { parent } = processOf(chain.at(-1).pid) ?? {};
    if (parent === undefined || parent <= 1) break;
    chain.push({ pid: parent, isShell: /^(ba|da|z|k|a)?sh$/.test(processOf(parent)?.name ?? '') });
  }
  return chain.map((one) => one.pid);
}

/** Whoever loses its parent gets another one. */
function isWhole(chain) {
  return chain.every((pid, index) => index === chain.length - 1 || processOf(pid)?.parent === chain[index + 1]);
}

function processOf(pid) {
  try {
    if (process.platform !== 'linux') return readWithPs(pid);
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Not the name in `stat`: a script goes by its own name there.
    return { parent: Number(parent), name: basename(readlinkSync(`/proc/${pid}/exe`)) };
  } catch {
    return undefined; // It is gone.
  }
}

function readWithPs(pid) {
  const answer = execFileSync('ps', ['-o', 'ppid=,comm=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  const [parent, ...name] = answer.split(/\s+/);
  return { parent: Number(parent), name: basename(name.join(' ')).replace(/^-/, '') };
}
