import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { endProcess, identify, isRunning, type ProcessIdentity, writePrivateFile } from '@sluice/stack';

/** Which launcher works in a data folder. It stays behind when the launcher is killed. */
export interface RunRecord {
  readonly process: ProcessIdentity;
  /** `start`, `dev`, … for people. */
  readonly command: string;
  readonly portBase: number;
  /** It was asked to stop, and the folder will be free in a moment. */
  readonly isStopping: boolean;
}

/** The launcher that works in the folder now; undefined when there is none. */
export function readLiveRun(folder: string): RunRecord | undefined {
  const record = readRun(folder);
  return record !== undefined && isRunning(record.process) ? record : undefined;
}

export function writeRun(folder: string, record: RunRecord): void {
  writePrivateFile(fileOf(folder), record);
}

/** Removes the record, if it is still the one of this process. */
export function removeRun(folder: string, { process }: RunRecord): void {
  const record = readRun(folder);
  if (record?.process.pid === process.pid && record.process.startedAt === process.startedAt) rmSync(fileOf(folder));
}

function readRun(folder: string): RunRecord | undefined {
  return readJson(fileOf(folder)) as RunRecord | undefined;
}

/** Parsed, or undefined when there is no such file or a crash left half of one. */
export function readJson(file: string): unknown {
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

const fileOf = (folder: string) => join(folder, 'run.json');

/** Name of a service, or `tsc`, to its process. */
type Records = Readonly<Record<string, ProcessIdentity>>;

/** How long a service is given to end on SIGTERM: it lets requests in flight finish for ten seconds. */
const patienceMs = 12_000;

/** Notes which process has this name, so that another command can find it, or end it after we were killed. */
export function recordProcess(folder: string, name: string, pid: number): void {
  const process = identify(pid);
  if (process !== undefined) writePrivateFile(recordsFileOf(folder), { ...readRecords(folder), [name]: process });
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

/** Whether the process that was last noted under this name still runs. */
export function isRecordedRunning(folder: string, name: string): boolean {
  const recorded = readRecords(folder)[name];
  return recorded !== undefined && isRunning(recorded);
}

function readRecords(folder: string): Records {
  return (readJson(recordsFileOf(folder)) ?? {}) as Records;
}

const recordsFileOf = (folder: string) => join(folder, 'processes.json');
