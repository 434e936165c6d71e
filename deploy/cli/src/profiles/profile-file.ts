import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { CommandFailure } from '../failure';

/** Where a command goes and with which key. */
export interface Profile {
  /** Management address, with its `/v1`. */
  readonly url: string;
  /** Secret. */
  readonly apiKey: string;
  /** Id of the project. */
  readonly project?: string;
  /** Write address, with its `/v1`. */
  readonly writeUrl?: string;
  /** Search address, with its `/v1`. */
  readonly searchUrl?: string;
}

/** The file of profiles. */
export interface Profiles {
  /** Name of the profile in use. */
  readonly current?: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_CONFIG_HOME/sluice/profiles.json`. Source: XDG Base Directory Specification: a relative path there is ignored. */
export function profileFileOf({ XDG_CONFIG_HOME: given, HOME: home }: Environment): string {
  const folder = given !== undefined && isAbsolute(given) ? given : join(home ?? homedir(), '.config');
  return join(folder, 'sluice', 'profiles.json');
}

/** @throws CommandFailure when others can read the file, or it is no file of profiles */
export function readProfiles(file: string): Profiles {
  let text: string;
  try {
    // A file that others can read has given its keys away.
    if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
      throw new CommandFailure(`${file} holds keys and can be read by others. Run: chmod 600 ${file}`);
    }
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { profiles: {} };
    throw error;
  }
  const read = parse(text);
  if (read === undefined)
    throw new CommandFailure(`${file} is no file of profiles. Correct it, or remove it and add the profiles again.`);
  return read;
}

function parse(text: string): Profiles | undefined {
  try {
    const read = JSON.parse(text) as Partial<Profiles> | null;
    const all = read?.profiles;
    const isWhole = typeof all === 'object' && all !== null && Object.values(all).every(isProfile);
    return isWhole ? (read as Profiles) : undefined;
  } catch {
    return undefined;
  }
}

function isProfile(value: unknown): value is Profile {
  const { url, apiKey } = (value ?? {}) as Partial<Profile>;
  return typeof url === 'string' && typeof apiKey === 'string';
}

/** Appears whole or not at all, and only its owner can read it. */
export function writeProfiles(file: string, profiles: Profiles): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600 });
  chmodSync(fresh, 0o600);
  renameSync(fresh, file);
}
