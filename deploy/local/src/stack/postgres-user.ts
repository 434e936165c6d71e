import { DependencyError } from '@sluice/errors';
import { runCommand } from './run-command';
import type { StartContext } from './service-starter';

export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The system user `postgres`, made when there is none, said aloud: Postgres refuses to run as root. */
export async function postgresUser({ env, log }: StartContext): Promise<SystemUser> {
  const present = await findUser(env);
  if (present !== undefined) return present;
  log('postgres: does not run as root, so the system user "postgres" is made (useradd)');
  const made = await runCommand('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], {
    env,
    withinMs: 30_000,
  });
  const user = await findUser(env);
  if (user !== undefined) return user;
  const detail = `Postgres does not run as root, and the user "postgres" cannot be made: ${made.output.trim()}`;
  throw new DependencyError({
    code: 'service.unavailable',
    detail,
    remedy: 'Run as another user, or set DATABASE_URL.',
  });
}

async function findUser(env: NodeJS.ProcessEnv): Promise<SystemUser | undefined> {
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (option) => {
      const result = await runCommand('id', [option, 'postgres'], { env, withinMs: 10_000 });
      return result.code === 0 ? Number(result.output) : undefined;
    }),
  );
  return uid === undefined || gid === undefined ? undefined : { uid, gid };
}
