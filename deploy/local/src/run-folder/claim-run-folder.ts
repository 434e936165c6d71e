import { join } from 'node:path';
import { identify, type Log, waitUntil, withStackLock } from '@sluice/stack';
import { endRecorded, readLiveRun, removeRun, type RunRecord, writeRun } from './run-record';
import { assertPortsFree, type ProcessName, processNames } from '../service-ports';

export interface FolderClaim {
  /** The data folder to use. */
  readonly home: string;
  readonly portBase: number;
  readonly command: string;
  /** What will listen. @default all */
  readonly names?: readonly ProcessName[];
  readonly log: Log;
}

/** A data folder that no other launcher works in until it is released. */
export interface RunFolder {
  readonly folder: string;
  /** Says that the end has begun: whoever starts now waits for it. */
  readonly markStopping: () => void;
  readonly release: () => void;
}

/** How long a launcher whose npm was killed needs to notice, in milliseconds. */
const noticeMs = 1_000;
/** Longest orderly end of a launcher: services, then Kafka, Redis and Postgres. */
const endMs = 60_000;

/**
 * Takes the data folder, or `base-<port base>` in it when another launcher works there: two never share a database, a
 * broker or the sandbox's journal. Ends what a killed launcher left behind, and waits for one that is ending.
 * @throws DependencyError when a port is taken; nothing was started then
 */
export async function claimRunFolder(claim: FolderClaim): Promise<RunFolder> {
  const folders = [claim.home, join(claim.home, `base-${claim.portBase}`)];
  for (const folder of folders) await settlePredecessor(folder, claim.log);
  const { portBase, names = processNames, command } = claim;
  const onOurPorts = folders.map(readLiveRun).find((run) => run?.portBase === portBase);
  const owner = onOurPorts && `"${onOurPorts.command}" on this data folder (process ${onOurPorts.process.pid})`;
  await assertPortsFree({ portBase, names, command, owner });
  for (const folder of folders) {
    const record = await tryClaim(folder, claim);
    if (record !== undefined) return toRunFolder(folder, record);
    const other = readLiveRun(folder);
    claim.log(`${folder} is in use by "${other?.command}" (process ${other?.process.pid}), so the data goes beside it`);
  }
  // Both owners listen on ports of their own, so the check above has refused already.
  throw new Error('no data folder is free');
}

async function settlePredecessor(folder: string, log: Log): Promise<void> {
  const isWorking = () => readLiveRun(folder)?.isStopping === false;
  if (isWorking()) await waitUntil(() => !isWorking(), { withinMs: noticeMs });
  const ending = readLiveRun(folder);
  if (ending?.isStopping === true) {
    log(`waiting for process ${ending.process.pid}, which is stopping`);
    await waitUntil(() => readLiveRun(folder) === undefined, { withinMs: endMs });
  }
  if (readLiveRun(folder) !== undefined) return;
  const ended = await endRecorded(folder);
  if (ended.length > 0) log(`ended what a killed launcher left behind: ${ended.join(', ')}`);
}

async function tryClaim(folder: string, { command, portBase, log }: FolderClaim): Promise<RunRecord | undefined> {
  return withStackLock(folder, log, async () => {
    if (readLiveRun(folder) !== undefined) return undefined;
    const self = identify(process.pid) ?? { pid: process.pid, startedAt: '' };
    const record = { process: self, command, portBase, isStopping: false };
    writeRun(folder, record);
    return record;
  });
}

function toRunFolder(folder: string, record: RunRecord): RunFolder {
  return {
    folder,
    markStopping: () => writeRun(folder, { ...record, isStopping: true }),
    release: () => removeRun(folder, record),
  };
}
