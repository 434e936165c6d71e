import { commonEnv, defineEnv, launcherEnv, testingEnv, type EnvValues } from '@sluice/config';
import { localDataDir } from './repository-root';

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
}

/** @throws ConfigError that lists every setting that is wrong, unknown `SLUICE_*` names included */
export function readLocalSettings(env: NodeJS.ProcessEnv): LocalSettings {
  const values: EnvValues<typeof table.fields> = table.read(env);
  const { portBase, timeScale, logLevel } = values;
  return { env, portBase, timeScale, logLevel, dataDir: localDataDir(env) };
}
