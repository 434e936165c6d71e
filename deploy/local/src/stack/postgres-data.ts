import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyError } from '@sluice/errors';
import { packagedPostgres } from './postgres-binaries';
import type { PostgresHome } from './postgres-home';
import { runCommand } from './run-command';

/** The data folder of a home. Nothing need be there yet. */
export function postgresData(folder: string): string {
  return join(folder, 'data');
}

/** The password of the superuser, made once and kept beside the data. */
export function postgresPassword(home: Pick<PostgresHome, 'folder' | 'user'>): string {
  const file = join(home.folder, 'password');
  if (!existsSync(file)) {
    writeFileSync(file, `${randomBytes(18).toString('base64url')}\n`, { mode: 0o600 });
    if (home.user !== undefined) chownSync(file, home.user.uid, home.user.gid);
  }
  return readFileSync(file, 'utf8').trim();
}

/**
 * Makes the data folder unless it is there. Done aside, so that an `initdb` that was cut off leaves nothing half made.
 * @throws DependencyError when `initdb` fails, or the data is of another major version
 */
export async function initialiseOnce(home: PostgresHome, env: NodeJS.ProcessEnv): Promise<void> {
  const data = postgresData(home.folder);
  if (existsSync(data)) return checkVersion(data);
  postgresPassword(home);
  const fresh = `${data}.new`;
  rmSync(fresh, { recursive: true, force: true });
  // The builtin locale sorts the same everywhere and needs nothing of the machine.
  const locale = ['--encoding=UTF8', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C'];
  const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${join(home.folder, 'password')}`];
  const args = [`--pgdata=${fresh}`, ...locale, ...access];
  const result = await runCommand(join(home.bin, 'initdb'), args, {
    cwd: home.folder,
    env,
    withinMs: 120_000,
    ...home.user,
  });
  if (result.code !== 0) {
    const detail = `Postgres could not make its data folder.\n${result.output.trim()}`;
    throw new DependencyError({ code: 'service.unavailable', detail });
  }
  renameSync(fresh, data);
}

function checkVersion(data: string): void {
  const major = packagedPostgres().version.split('.')[0];
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === major) return;
  const detail = `The data in ${data} was made by Postgres ${found}; this is Postgres ${major}.`;
  const remedy = 'Remove the folder (it holds local data only), or set DATABASE_URL.';
  throw new DependencyError({ code: 'service.unavailable', detail, remedy });
}
