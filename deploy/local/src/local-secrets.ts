import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DependencyError } from '@sluice/errors';
import { writePrivateFile } from '@sluice/stack';

/** Made once per data folder and kept in it: what was sealed must be readable after a restart. */
export interface LocalSecrets {
  readonly adminKey: string;
  /** Text of SLUICE_CREDENTIALS_KEYS. */
  readonly credentialsKeys: string;
}

/** The environment wins; the rest is read from `secrets.json` of the folder, which is made when it is not there. */
export function openLocalSecrets(folder: string, env: NodeJS.ProcessEnv): LocalSecrets {
  const file = join(folder, 'secrets.json');
  const kept = existsSync(file) ? readSecrets(file) : makeSecrets(file);
  return {
    adminKey: env.SLUICE_ADMIN_KEY ?? kept.adminKey,
    credentialsKeys: env.SLUICE_CREDENTIALS_KEYS ?? kept.credentialsKeys,
  };
}

/** Distinguishes databases: what was sealed with other keys cannot be used. Says nothing about the keys. */
export function fingerprintOf({ credentialsKeys }: LocalSecrets): string {
  return createHash('sha256').update(credentialsKeys).digest('hex').slice(0, 8);
}

function makeSecrets(file: string): LocalSecrets {
  mkdirSync(join(file, '..'), { recursive: true });
  const secrets = {
    adminKey: `ak_${randomBytes(24).toString('base64url')}`,
    credentialsKeys: `local:${randomBytes(32).toString('base64')}`,
  };
  writePrivateFile(file, secrets);
  return secrets;
}

function readSecrets(file: string): LocalSecrets {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LocalSecrets;
  } catch (cause) {
    const detail = `${file} is not readable, so what the local database holds sealed cannot be opened.`;
    const remedy = 'Restore the file, or remove its whole folder (it holds local data only).';
    throw new DependencyError({ code: 'service.unavailable', detail, remedy, cause });
  }
}
