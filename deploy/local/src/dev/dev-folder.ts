import { join } from 'node:path';
import { assertPortsFree } from '../assert-ports-free';
import type { LocalSettings } from '../local-settings';
import { claimRunFolder, type RunFolder } from '../run-folder/claim-run-folder';
import { readLiveRun } from '../run-folder/run-record';
import { endRecorded } from '../run-folder/process-records';
import type { ProcessName } from '../service-ports';
import type { Log } from '../stack/log';

export interface DevFolder extends RunFolder {
  /** Another `npm run dev` compiles already. */
  readonly isCompiled: boolean;
}

const devCommand = 'npm run dev';

/**
 * The folder for a dev run. With `only`, that of a launcher that runs on the same ports, whose process of this name is
 * ended; its others stay as they are. Else a folder of our own.
 */
export async function openDevFolder(
  { dataDir, portBase }: LocalSettings,
  only: ProcessName | undefined,
  log: Log,
): Promise<DevFolder> {
  if (only !== undefined) {
    for (const folder of [dataDir, join(dataDir, `base-${portBase}`)]) {
      const run = readLiveRun(folder);
      if (run?.portBase !== portBase) continue;
      const ended = await endRecorded(folder, [only]);
      if (ended.length > 0) log(`${only}: takes the place of the one that "${run.command}" runs`);
      await assertPortsFree({ portBase, names: [only], command: devCommand });
      const nothing = () => undefined;
      return { folder, markStopping: nothing, release: nothing, isCompiled: run.command === devCommand };
    }
  }
  const names = only === undefined ? undefined : [only];
  const claim = { home: dataDir, portBase, command: devCommand, log, ...(names === undefined ? {} : { names }) };
  return { ...(await claimRunFolder(claim)), isCompiled: false };
}
