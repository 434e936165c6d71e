import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, identify, type ProcessIdentity } from './process-identity';

/** What a running Postgres says of itself in its data folder. */
export interface Postmaster {
  readonly process: ProcessIdentity;
  readonly port: number;
  readonly isReady: boolean;
}

/**
 * The Postgres that runs on this data folder, whoever started it; undefined when none does.
 * Source of the lines: https://www.postgresql.org/docs/18/storage-file-layout.html and `pg_ctl`, which waits for line 8.
 */
export function readPostmaster(data: string): Postmaster | undefined {
  const lines = readLines(join(data, 'postmaster.pid'));
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  const process = identify(pid);
  // The file outlives a Postgres that was killed, and its number may be somebody else's by now.
  if (process === undefined || !commandLine(pid).includes(data)) return undefined;
  return { process, port, isReady: lines[7]?.trim() === 'ready' };
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
