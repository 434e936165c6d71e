import { join } from 'node:path';
import type { ProcessName } from '../service-ports';
import { endProcess, identify, isRunning, type ProcessIdentity } from '../stack/process-identity';
import { writePrivateFile } from '../write-private-file';
import { read } from './run-record';

type Records = { [Name in ProcessName]?: ProcessIdentity };

/** How long a service is given to end on SIGTERM: it lets requests in flight finish for ten seconds. */
const patienceMs = 12_000;

/** Notes which process is this service, so that another command can find it, or end it after we were killed. */
export function recordService(folder: string, name: ProcessName, pid: number): void {
  const process = identify(pid);
  if (process !== undefined) writePrivateFile(fileOf(folder), { ...readRecords(folder), [name]: process });
}

/** Ends the recorded services that still run: all, or the named ones. @returns their names */
export async function endRecordedServices(folder: string, names?: readonly ProcessName[]): Promise<ProcessName[]> {
  const records = Object.entries(readRecords(folder)) as [ProcessName, ProcessIdentity][];
  const living = records.filter(
    ([name, process]) => (names === undefined || names.includes(name)) && isRunning(process),
  );
  await Promise.all(living.map(([, process]) => endProcess(process, ['SIGTERM'], patienceMs)));
  return living.map(([name]) => name);
}

function readRecords(folder: string): Records {
  return read<Records>(fileOf(folder)) ?? {};
}

function fileOf(folder: string): string {
  return join(folder, 'processes.json');
}
