import { execFile } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { openDatabase } from '@sluice/store';

const run = promisify(execFile);

/**
 * Backs up a Postgres of the local stack while it runs, as pg_basebackup does: its home (the data folder and the password beside it) is
 * copied to `to`, and what it writes meanwhile is in the log that comes last. Our binaries have no pg_basebackup.
 * Source: https://www.postgresql.org/docs/18/continuous-archiving.html#BACKUP-LOWLEVEL-BASE-BACKUP
 */
export async function backUp(url: string, to: string): Promise<void> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'backup' });
  try {
    await database.raw('set statement_timeout = 0');
    const begun = await database.raw<{ rows: [{ folder: string }] }>(
      `select current_setting('data_directory') as folder, pg_backup_start('sluice', fast => true)`,
    );
    const [{ folder }] = begun.rows;
    await copyLive(dirname(folder), to);
    const ended = await database.raw<{ rows: [{ label: string }] }>(
      'select labelfile as label from pg_backup_stop(wait_for_archive => false)',
    );
    await addLog(folder, join(to, 'data'), ended.rows[0].label);
  } finally {
    await database.destroy();
  }
}

/** What was begun before the backup's start and ended after it stands in the log up to the stop. */
async function addLog(from: string, to: string, label: string): Promise<void> {
  rmSync(join(to, 'pg_wal'), { recursive: true });
  await copyLive(join(from, 'pg_wal'), join(to, 'pg_wal'));
  rmSync(join(to, 'postmaster.pid'), { force: true });
  const file = join(to, 'backup_label');
  writeFileSync(file, label, { mode: 0o600 });
  const { uid, gid } = statSync(join(to, 'PG_VERSION'));
  chownSync(file, uid, gid);
}

/** A copy with owners and modes. A file that vanishes meanwhile is not part of a backup. */
export async function copyLive(from: string, to: string): Promise<void> {
  try {
    await run('cp', ['-a', from, to]);
  } catch (error) {
    const lines = ((error as { stderr?: string }).stderr ?? '').trim().split('\n');
    if (!lines.every((line) => line.endsWith('No such file or directory'))) throw error;
  }
}
