/**
 * A platform's own authority signs what its databases show, and some ask for a certificate in return: Postgres and Redis as they are, with TLS
 * by certificates that this test makes, reached by the settings of a service. Kafka's are in kafka-security.test.ts.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { databaseAccess, defineEnv, postgresEnv, readProcessEnv, redisAccess, redisEnv } from '@sluice/config';
import { connectRedis } from '@sluice/redis';
import { startStack } from '@sluice/stack';
import { createStore, migrateDatabase, openDatabase } from '@sluice/store';
import { createMetrics, silentLogger } from '@sluice/telemetry';
import { until } from '@sluice/testkit';
import { createAuthority, type Authority, type Certificate } from '../harness/authority';
import { freePortBase } from '../harness/free-port-base';

const folder = mkdtempSync(join(tmpdir(), 'sluice-authority-'));
// Postgres does not run as root, and its own user must reach the data.
chmodSync(folder, 0o755);
let authority: Authority;
let client: Certificate;
let stranger: Authority;
beforeAll(() => {
  authority = createAuthority(mkdtempSync(join(folder, 'ca-')));
  stranger = createAuthority(mkdtempSync(join(folder, 'other-')));
  client = authority.issue('sluice');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PATH = readProcessEnv()['PATH'] ?? '';
type Env = Readonly<Record<string, string>>;
const ours = (prefix: string): Env => ({
  [`${prefix}_CA`]: authority.ca,
  [`${prefix}_CLIENT_CERT`]: client.cert,
  [`${prefix}_CLIENT_KEY`]: client.key,
});

describe('Postgres', () => {
  let stop: () => Promise<void>;
  /** Its address, by the name that its certificate is for. */
  let url: (sslmode: string, database?: string) => string;
  /** Shows another certificate of the authority from the next connection on. */
  let show: (server: Certificate) => Promise<void>;

  beforeAll(async () => {
    const stack = await startStack({
      dataDir: join(folder, 'stack'),
      want: ['postgres'],
      env: { PATH },
      log: () => undefined,
    });
    const database = openDatabase({ url: stack.databaseUrl, poolMax: 1, applicationName: 'authority-test' });
    const { rows } = await database.raw<{ rows: [{ data: string }] }>(
      `select current_setting('data_directory') as data`,
    );
    const { data } = rows[0];
    const { uid, gid } = statSync(join(data, 'PG_VERSION'));
    const put = (from: string, to: string): void => {
      copyFileSync(from, join(data, to));
      chownSync(join(data, to), uid, gid);
    };
    show = async ({ certFile, keyFile }) => {
      put(certFile, 'server.crt');
      put(keyFile, 'server.key');
      await database.raw('select pg_reload_conf()');
    };
    put(authority.caFile, 'root.crt');
    // Whoever comes to `certified` shows a certificate of that authority; the first line that matches counts.
    const hba = join(data, 'pg_hba.conf');
    const certifiedOnly = 'hostssl certified all all scram-sha-256 clientcert=verify-ca';
    writeFileSync(hba, `${certifiedOnly}\n${readFileSync(hba, 'utf8')}`);
    await database.raw('create database certified');
    for (const setting of [`ssl_ca_file = 'root.crt'`, 'ssl = on']) await database.raw(`alter system set ${setting}`);
    await show(authority.issue('postgres', ['localhost']));
    await until('Postgres speaks TLS', async () => {
      const shown = await database.raw<{ rows: [{ ssl: string }] }>('show ssl');
      return shown.rows[0].ssl === 'on' || undefined;
    });
    stop = async () => {
      await database.destroy();
      await stack.stop();
    };
    url = (sslmode, name = 'postgres') => {
      const own = new URL(stack.databaseUrl);
      own.hostname = 'localhost';
      own.pathname = name;
      own.searchParams.set('sslmode', sslmode);
      return own.toString();
    };
  });
  afterAll(async () => await stop?.());

  const accessOf = (env: Env) => databaseAccess(defineEnv(postgresEnv).read(env));

  it.each(['verify-full', 'verify-ca', 'require'])('is migrated and used with %s', async (sslmode) => {
    const access = accessOf({ DATABASE_URL: url(sslmode), DATABASE_CA: authority.ca });
    await migrateDatabase(access.url, { tls: access.tls });
    const store = createStore({ ...access, applicationName: 'authority-test' });
    await store.assertMigrated();
    expect(await store.health()).toBeUndefined();
    await store.close();
  });

  it('gets the certificate that it asks for', async () => {
    const access = accessOf({ DATABASE_URL: url('verify-full', 'certified'), ...ours('DATABASE') });
    expect(await migrateDatabase(access.url, { tls: access.tls })).not.toEqual([]);
  });

  it.each<[string, () => Env, RegExp]>([
    ['the public authorities', () => ({ DATABASE_URL: url('verify-full') }), /certificate/],
    ['another authority', () => ({ DATABASE_URL: url('verify-full'), DATABASE_CA: stranger.ca }), /certificate/],
    [
      'no certificate where it asks for one',
      () => ({ DATABASE_URL: url('verify-full', 'certified'), DATABASE_CA: authority.ca }),
      /refuses the user|certificate/,
    ],
  ])('is not used by %s, and the reason is said', async (_who, env, reason) => {
    const access = accessOf(env());
    const said = await migrateDatabase(access.url, { tls: access.tls }).then(
      () => 'migrated',
      (error: { detail?: string; remedy?: string }) => `${error.detail} ${error.remedy}`,
    );
    expect(said).toMatch(reason);
  });

  // Last: from here on it shows the certificate of another host.
  it('by another name than it has is used with verify-ca alone', async () => {
    await show(authority.issue('elsewhere', ['elsewhere.example.com']));
    const said = async (sslmode: string) => {
      const access = accessOf({ DATABASE_URL: url(sslmode), DATABASE_CA: authority.ca });
      return await migrateDatabase(access.url, { tls: access.tls }).then(
        () => 'migrated',
        (error: { detail?: string }) => String(error.detail),
      );
    };
    await until('the new certificate is shown', async () => /altnames/.test(await said('verify-full')) || undefined);
    expect(await said('verify-ca')).toBe('migrated');
  });
});

const redisServer = ['redis-server', 'redis-check-rdb']
  .flatMap((name) => PATH.split(delimiter).map((path) => join(path, name)))
  .find((file) => existsSync(file));
if (redisServer === undefined)
  process.stderr.write('NOT CHECKED: Redis with TLS needs redis-server on this machine.\n');

(redisServer === undefined ? describe.skip : describe)('Redis', () => {
  let port: number;
  let server: ChildProcess;

  beforeAll(async () => {
    port = (await freePortBase()) + 79;
    const own = authority.issue('redis', ['localhost']);
    const tls = [
      '--tls-cert-file',
      own.certFile,
      '--tls-key-file',
      own.keyFile,
      '--tls-ca-cert-file',
      authority.caFile,
    ];
    const args = ['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'yes', '--save', '', ...tls];
    // Debian's other name for it does what it is called.
    server = spawn(redisServer ?? '', args, { argv0: 'redis-server', stdio: 'ignore', cwd: folder });
    await until('Redis listens', async () => (await listens(port)) || undefined);
  });
  afterAll(() => void server?.kill('SIGKILL'));

  const open = (env: Env) => {
    const access = redisAccess(defineEnv(redisEnv).read({ REDIS_URL: `rediss://localhost:${port}`, ...env }));
    return connectRedis({ ...access, logger: silentLogger, metrics: createMetrics('tests'), timeoutMs: 5_000 });
  };

  it('is used with its authority and the certificate it asks for', async () => {
    const redis = open(ours('REDIS'));
    await until('Redis answers', async () => (await redis.healthy()) || undefined);
    await redis.cache.set('key', 'value', 60_000);
    expect(await redis.cache.get('key')).toBe('value');
    await redis.close();
  });

  it.each<[string, () => Env]>([
    ['the public authorities', () => ({ ...ours('REDIS'), REDIS_CA: stranger.ca })],
    ['no certificate', () => ({ REDIS_CA: authority.ca })],
  ])('is not used by %s', async (_who, env) => {
    const redis = open(env());
    expect(await redis.healthy()).toBe(false);
    await redis.cache.set('key', 'other', 60_000);
    expect(await redis.cache.get('key')).toBeUndefined();
    await redis.close();
  });
});

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: 'localhost' });
    const end = (answer: boolean) => () => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false));
  });
}
