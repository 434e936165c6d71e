import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  chmodSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { crashService, startStack } from '@sluice/stack';
import { openDatabase } from '@sluice/store';
import { until } from '@sluice/testkit';
import { backUp, copyLive } from './base-backup';

/** Longest wait until the log has been replayed up to the moment, on a machine that is busy. */
const replayMs = 600_000;

/** A Postgres whose log is archived, as continuous archiving wants it. Source: https://www.postgresql.org/docs/18/continuous-archiving.html */
export interface ArchivedPostgres {
  readonly url: string;
  /** A base backup, while it runs. */
  backUp(): Promise<void>;
  /** `kill -9`, after the segments that were written have been archived: what the archive lacks, a restore to a moment lacks too. */
  crash(): Promise<void>;
  /** Another Postgres, of the base backup and the archive, with everything that was committed up to this moment. @returns its address */
  restoreTo(moment: string): Promise<string>;
  stop(): Promise<void>;
}

export async function startArchivedPostgres(): Promise<ArchivedPostgres> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-archive-'));
  // Postgres does not run as root, and its own user must reach the data.
  chmodSync(folder, 0o755);
  const [first, second, archive, backup] = ['first', 'second', 'archive', 'backup'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  const made = await start(first);
  const [{ data }] = (await query(made.databaseUrl, `select current_setting('data_directory') as data`)) as [
    { data: string },
  ];
  mkdirSync(archive);
  giveToOwner(archive, data);
  await query(made.databaseUrl, `alter system set archive_mode = 'on'`);
  await query(
    made.databaseUrl,
    `alter system set archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f'`,
  );
  // Only a start takes archive_mode.
  await made.stop();
  const stacks = [await start(first)];
  const [{ databaseUrl: url }] = stacks as [(typeof stacks)[number]];
  return {
    url,
    backUp: () => backUp(url, backup),
    crash: async () => {
      const [{ segment }] = (await query(url, 'select pg_walfile_name(pg_switch_wal()) as segment')) as [
        { segment: string },
      ];
      await until(`${segment} is archived`, () => existsSync(join(archive, segment)) || undefined, replayMs);
      await crashService(first, 'postgres');
    },
    restoreTo: async (moment) => {
      mkdirSync(second);
      await copyLive(backup, join(second, 'postgres'));
      const restored = join(second, 'postgres', 'data');
      const settings = [
        `archive_mode = 'off'`,
        `restore_command = 'cp ${archive}/%f %p'`,
        `recovery_target_time = '${moment}'`,
        `recovery_target_action = 'promote'`,
      ];
      appendFileSync(join(restored, 'postgresql.auto.conf'), `${settings.join('\n')}\n`);
      writeFileSync(join(restored, 'recovery.signal'), '');
      giveToOwner(join(restored, 'recovery.signal'), restored);
      const stack = await start(second);
      stacks.push(stack);
      await until(
        'the log is replayed up to the moment',
        async () => {
          const [row] = await query(stack.databaseUrl, 'select pg_is_in_recovery() as replays');
          return row?.['replays'] === false || undefined;
        },
        replayMs,
      );
      return stack.databaseUrl;
    },
    stop: async () => {
      for (const stack of stacks.toReversed()) await stack.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(dataDir: string) {
  const { DATABASE_URL: _url, ...env } = readProcessEnv();
  return await startStack({ dataDir, want: ['postgres'], env, log: () => undefined });
}

function giveToOwner(path: string, data: string): void {
  const { uid, gid } = statSync(join(data, 'PG_VERSION'));
  chownSync(path, uid, gid);
}

/** Without the limit of a service's statement: counting a hundred thousand rows may take longer on a busy machine. */
export async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'restore' });
  try {
    await database.raw('set statement_timeout = 0');
    return (await database.raw<{ rows: Record<string, unknown>[] }>(sql)).rows;
  } finally {
    await database.destroy();
  }
}
