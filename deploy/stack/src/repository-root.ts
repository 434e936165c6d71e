import { join, resolve } from 'node:path';

/** The checkout this package lies in (we run from `deploy/local/dist`). */
export const repositoryRoot = resolve(__dirname, '../../..');

/**
 * Where local data goes: `SLUICE_DATA_DIR`, else `.sluice` in the checkout.
 * The embedded Postgres of `npm start` lies in it; the stack of `npm test`, `dev`, `--distributed` in its folder `stack`.
 */
export function localDataDir(env: NodeJS.ProcessEnv): string {
  const given = env.SLUICE_DATA_DIR?.trim();
  return given === undefined || given === '' ? join(repositoryRoot, '.sluice') : resolve(given);
}

/** The folder of the full stack (see `localDataDir`). */
export function stackDataDir(env: NodeJS.ProcessEnv): string {
  return join(localDataDir(env), 'stack');
}
