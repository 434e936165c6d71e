import { join } from 'node:path';
import { endProcess, identify, isRunning, type ProcessIdentity, writePrivateFile } from '@sluice/stack';
import { readJson } from './run-record';

/** Name of a service, or `tsc`, to its process. */
type Records = Readonly<Record<string, ProcessIdentity>>;

/** How long a service is given to end on SIGTERM: it lets requests in flight finish for ten seconds. */
const patienceMs = 12_000;

/** Notes which process has this name, so that another command can find it, or end it after we were killed. */
export function recordProcess(folder: string, name: string, pid: number): void {
  const process = identify(pid);
  if (process !== undefined) writePrivateFile(fileOf(folder), { ...readRecords(folder), [name]: process });
}

/** Ends the recorded processes that still run: all, or the named ones. @returns their names */
export async function endRecorded(folder: string, names?: readonly string[]): Promise<string[]> {
  const records = Object.entries(readRecords(folder));
  const living = records.filter(
    ([name, process]) => (names === undefined || names.includes(name)) && isRunning(process),
  );
  await Promise.all(living.map(([, process]) => endProcess(process, ['SIGTERM'], patienceMs)));
  return living.map(([name]) => name);
}

function readRecords(folder: string): Records {
  return (readJson(fileOf(folder)) ?? {}) as Records;
}

function fileOf(folder: string): string {
  return join(folder, 'processes.json');
}
