import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { commonEnv, defineEnv, type EnvValues, launcherEnv, testingEnv } from '@sluice/config';

/** The checkout of this package (it runs from `deploy/local/dist`). */
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

const table = defineEnv({
  ...launcherEnv,
  SLUICE_LOG_LEVEL: commonEnv.SLUICE_LOG_LEVEL,
  SLUICE_TIME_SCALE: testingEnv.SLUICE_TIME_SCALE,
});

/** What a local command needs to know of its environment. */
export interface LocalSettings {
  /** Handed on to the services, with what the launcher decides itself. */
  readonly env: NodeJS.ProcessEnv;
  readonly portBase: number;
  /** See `localDataDir`. */
  readonly dataDir: string;
  readonly timeScale: number;
  readonly logLevel: string;
  /** The providers themselves are called, in place of imitations. */
  readonly isReal: boolean;
}

/** @throws ConfigError that lists every setting that is wrong, unknown `SLUICE_*` names included */
export function readLocalSettings(env: NodeJS.ProcessEnv): LocalSettings {
  const values: EnvValues<typeof table.fields> = table.read(env);
  const { portBase, timeScale, logLevel, realProviders: isReal } = values;
  return { env, portBase, timeScale, logLevel, isReal, dataDir: localDataDir(env) };
}

/** Writes JSON that only its owner can read; appears whole or not at all. */
export function writePrivateFile(file: string, content: object): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}

/** Parsed, or undefined when there is no such file or a crash left half of one. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
