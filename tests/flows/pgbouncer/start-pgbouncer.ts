import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { listens } from '../../harness/free-port-base';

/** The program, where a shell or Debian's package has it; undefined when it is not installed. */
export function findPgBouncer(): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file));
}

export interface PgBouncer {
  /** Of the same database, through the pooler. */
  readonly url: string;
  /** Whether statements may keep their names: from 1.21 on. */
  readonly knowsNames: boolean;
  stop(): Promise<void>;
}

/** The settings that docs/guides/pgbouncer.md asks for, with so few connections that sessions must be shared. */
export async function startPgBouncer(program: string, databaseUrl: string, poolSize: number): Promise<PgBouncer> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-pgbouncer-'));
  // It does not run as root, and its own user must read the file.
  chmodSync(folder, 0o755);
  const port = await freePort();
  const file = join(folder, 'pgbouncer.ini');
  const knowsNames = minorOf(program) >= 21;
  const names = knowsNames ? 'max_prepared_statements = 200\n' : '';
  writeFileSync(file, `${settings(new URL(databaseUrl), port, poolSize)}${names}`);
  const user = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...user, '-q', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const exited = once(child, 'exit');
  const isUp = await Promise.race([listens(port), exited.then(() => false)]);
  if (!isUp) throw new Error(`pgbouncer did not start: ${said}`);
  const url = new URL(databaseUrl);
  url.port = String(port);
  return {
    url: url.toString(),
    knowsNames,
    stop: async () => {
      child.kill('SIGINT');
      const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
      await exited;
      clearTimeout(timer);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `PgBouncer 1.18.0` -> 18 */
function minorOf(program: string): number {
  return Number(/PgBouncer 1\.(\d+)/.exec(execFileSync(program, ['--version'], { encoding: 'utf8' }))?.[1]);
}

function settings({ hostname, port, username, password, pathname }: URL, listenPort: number, poolSize: number): string {
  const name = pathname.slice(1);
  return `[databases]
${name} = host=${hostname} port=${port} dbname=${name} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 500
ignore_startup_parameters = extra_float_digits,statement_timeout,idle_in_transaction_session_timeout
server_reset_query_always = 0
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
