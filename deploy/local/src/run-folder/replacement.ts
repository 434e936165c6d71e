import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity, writePrivateFile } from '@sluice/stack';
import type { ProcessName } from '../service-ports';
import { isRecordedRunning, readJson } from './run-record';

/**
 * `npm run dev -- --only <service>` runs one service in place of the launcher of the folder. It notes itself first, so that the launcher knows why
 * its service ends, and runs it again when the other one has gone, however it went.
 */
export function takeOver(folder: string, name: ProcessName, pid = process.pid): () => void {
  const self = identify(pid);
  if (self === undefined) return () => undefined;
  const file = fileOf(folder, name);
  writePrivateFile(file, self);
  return () => {
    // Another one may have taken it over meanwhile.
    if (readReplacement(file)?.pid === self.pid) rmSync(file, { force: true });
  };
}

/** Whether somebody runs the service in place of the launcher now. */
export function isReplaced(folder: string, name: ProcessName): boolean {
  const replacement = readReplacement(fileOf(folder, name));
  return replacement !== undefined && isRunning(replacement);
}

const everyMs = 250;

/** Waits until nobody runs the service any more. @returns false when it is no longer wanted */
export async function untilGivenBack(folder: string, name: ProcessName, isWanted: () => boolean): Promise<boolean> {
  while (isWanted()) {
    // The process goes after its launcher, and holds the port until then.
    if (!isReplaced(folder, name) && !isRecordedRunning(folder, name)) return true;
    await sleep(everyMs);
  }
  return false;
}

const fileOf = (folder: string, name: ProcessName) => join(folder, `replaced-${name}.json`);

function readReplacement(file: string): ProcessIdentity | undefined {
  return readJson(file) as ProcessIdentity | undefined;
}
