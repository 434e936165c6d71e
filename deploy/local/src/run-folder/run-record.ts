import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning, type ProcessIdentity, writePrivateFile } from '@sluice/stack';

/** Which launcher works in a data folder. It stays behind when the launcher is killed. */
export interface RunRecord {
  readonly process: ProcessIdentity;
  /** `start`, `dev`, … for people. */
  readonly command: string;
  readonly portBase: number;
  /** It was told to end, and the folder will be free in a moment. */
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

function fileOf(folder: string): string {
  return join(folder, 'run.json');
}
