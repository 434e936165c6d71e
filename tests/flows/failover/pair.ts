import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { endProcess, readState, startStack } from '@sluice/stack';
import { openDatabase } from '@sluice/store';
import { startTcpProxy, until, type TcpProxy } from '@sluice/testkit';
import { backUp, copyLive } from '../restore/base-backup';

/** A primary, its standby, and the address by which both are known: what an operator's Service is in Kubernetes, or HAProxy elsewhere. */
export interface Pair {
  /** Leads to the server that is the primary. */
  readonly url: string;
  /** The standby gets nothing more of what the primary writes. */
  cutReplication(): void;
  /** `kill -9` of the primary. */
  killPrimary(): Promise<void>;
  /** Makes the standby the primary, and the address lead to it. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

/** @param isSynchronous whether a commit waits until the standby has it on its disk */
export async function startPair(isSynchronous: boolean): Promise<Pair> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-failover-'));
  // Postgres does not run as root, and its own user must reach the data.
  chmodSync(folder, 0o755);
  const [first, second] = [join(folder, 'first'), join(folder, 'second')];
  const primary = await start(first);
  const address = await startTcpProxy(primary.databaseUrl);
  const replication = await startTcpProxy(primary.databaseUrl);
  await makeStandby(primary.databaseUrl, replication, second);
  const standby = await start(second);
  await untilFollowed(primary.databaseUrl, isSynchronous);
  return {
    url: address.url,
    cutReplication: () => replication.cut(),
    killPrimary: () => kill(first),
    promote: async () => {
      await query(standby.databaseUrl, 'select pg_promote()');
      address.pointTo(standby.databaseUrl);
    },
    stop: async () => {
      for (const proxy of [address, replication]) proxy.close();
      for (const server of [standby, primary]) await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function start(dataDir: string) {
  const { DATABASE_URL: _url, ...env } = readProcessEnv();
  return await startStack({ dataDir, want: ['postgres'], env, log: () => undefined });
}

async function kill(dataDir: string): Promise<void> {
  const runtime = readState(dataDir).services.postgres?.runtime;
  if (runtime?.origin !== 'program') throw new Error('the Postgres of this test is no process of ours');
  await endProcess(runtime.process, [], 10_000);
}

/** A copy of the primary that follows it. Source: https://www.postgresql.org/docs/18/warm-standby.html#STANDBY-SERVER-SETUP */
async function makeStandby(url: string, replication: TcpProxy, dataDir: string): Promise<void> {
  const copy = join(dataDir, 'copy');
  mkdirSync(dataDir);
  await backUp(url, copy);
  const { port, username, password } = new URL(replication.url);
  const from = `host=127.0.0.1 port=${port} user=${username} password=${password} application_name=standby`;
  writeFileSync(join(copy, 'data', 'standby.signal'), '');
  appendFileSync(join(copy, 'data', 'postgresql.auto.conf'), `primary_conninfo = '${from}'\n`);
  await copyLive(copy, join(dataDir, 'postgres'));
  rmSync(copy, { recursive: true });
}

async function untilFollowed(url: string, isSynchronous: boolean): Promise<void> {
  if (isSynchronous) await query(url, `alter system set synchronous_standby_names = '*'`);
  await query(url, 'select pg_reload_conf()');
  const state = isSynchronous ? 'sync' : 'async';
  await until(`the standby follows (${state})`, async () => {
    const rows = await query(url, 'select sync_state from pg_stat_replication');
    return rows.some(({ sync_state }) => sync_state === state) || undefined;
  });
}

async function query(url: string, sql: string): Promise<readonly Record<string, unknown>[]> {
  const database = openDatabase({ url, poolMax: 1, applicationName: 'failover' });
  try {
    return (await database.raw<{ rows: Record<string, unknown>[] }>(sql)).rows;
  } finally {
    await database.destroy();
  }
}
