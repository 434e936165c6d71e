import { createSluiceClient, SluiceApiError, type SluiceClient } from '@sluice/client';
import { nearestName, readProcessEnv } from '@sluice/config';
import { CommandFailure } from '../failure';
import { profileFileOf, readProfiles, type Profile, type Profiles } from './profile-file';

/** Options as they were given, those of every command among them. */
export interface GivenOptions {
  readonly profile?: string;
  readonly project?: string;
  readonly json?: boolean;
}

/** The management API of one project. */
export type Management = SluiceClient['management'];

/** What a command works with. */
export interface Connected {
  readonly management: Management;
  readonly client: SluiceClient;
  /** @throws CommandFailure when nothing names its address */
  readonly write: SluiceClient['write'];
  /** Id or name of the project. */
  readonly project: string;
}

interface Target extends Partial<Profile> {
  /** Names it in sentences: `profile demo`, `SLUICE_URL`. */
  readonly source: string;
}

/** See `connected` of a command. */
export async function connectAs<T>(options: GivenOptions, act: (to: Connected) => Promise<T>): Promise<T> {
  const target = findTarget(options);
  return await explaining(target.source, async () => await act(await connectTo(target)));
}

async function connectTo({ url, writeUrl, apiKey, project, source }: Target): Promise<Connected> {
  if (url === undefined || apiKey === undefined) {
    const missing = url === undefined ? 'SLUICE_URL' : 'SLUICE_API_KEY';
    throw new CommandFailure(
      `There is no profile, and ${missing} is not set. Run: sluice profile add <name> --url <url>`,
    );
  }
  const baseUrl = addressOf(url, source);
  const projectIdOrName = project ?? (await ownProject(baseUrl, apiKey, source));
  const writing = writeUrl === undefined ? {} : { writeUrl: addressOf(writeUrl, source) };
  const client = createSluiceClient({ baseUrl, apiKey, projectIdOrName, ...writing });
  return {
    client,
    management: client.management,
    get write() {
      if (writeUrl === undefined) throw noWriteUrl(source);
      return client.write;
    },
    project: projectIdOrName,
  };
}

function noWriteUrl(source: string): CommandFailure {
  const add = 'Add the profile again with --write-url <url>, or set SLUICE_WRITE_URL.';
  const remedy = source === 'SLUICE_URL' ? 'Set SLUICE_WRITE_URL.' : add;
  return new CommandFailure(
    `No write address is known (${source}): it is another one than that of management. ${remedy}`,
  );
}

/** An explicit profile beats the environment, which beats the profile in use. */
function findTarget({ profile: asked, project }: GivenOptions): Target {
  const env = readProcessEnv();
  const file = profileFileOf(env);
  const named = project === undefined ? {} : { project };
  const writeUrl = env['SLUICE_WRITE_URL'];
  const writing = writeUrl ? { writeUrl } : {};
  if (asked === undefined && env['SLUICE_URL'] !== undefined) {
    const { SLUICE_URL: url, SLUICE_API_KEY: apiKey, SLUICE_PROJECT: own } = env;
    const more = { ...(apiKey && { apiKey }), ...(own && { project: own }), ...writing, ...named };
    return { url, ...more, source: 'SLUICE_URL' };
  }
  const { current, profiles } = readProfiles(file);
  const name = asked ?? current;
  if (name === undefined) return { source: file };
  const key = asked === undefined ? env['SLUICE_API_KEY'] : undefined;
  return {
    ...findProfile(profiles, name),
    ...(asked === undefined && writing),
    ...(key && { apiKey: key }),
    ...named,
    source: key ? 'SLUICE_API_KEY' : `profile ${name}`,
  };
}

/** @throws CommandFailure with the nearest name */
export function findProfile(profiles: Profiles['profiles'], name: string): Profile {
  const found = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (found !== undefined) return found;
  const known = Object.keys(profiles);
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  const list = known.length === 0 ? 'There is none yet' : `Known: ${known.join(', ')}`;
  throw new CommandFailure(
    `There is no profile "${name}".${hint} ${list}. Run: sluice profile add ${name} --url <url>`,
  );
}

/** The management address as the client wants it; a bare origin gets its `/v1`. */
export function addressOf(url: string, source: string): string {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandFailure(
      `"${url}" (${source}) is not an http or https address. Example: https://sluice.example.com/v1`,
    );
  }
  const path = parsed.pathname.replace(/\/+$/, '');
  return `${parsed.origin}${path === '' ? '/v1' : path}`;
}

/** Most keys belong to one project, so it need not be named. */
export async function ownProject(baseUrl: string, apiKey: string, source: string): Promise<string> {
  const { management } = createSluiceClient({ baseUrl, apiKey });
  const projects = await explaining(source, async () => await management.listProjects());
  const [only] = projects;
  if (only !== undefined && projects.length === 1) return only.id;
  const names = projects.map(({ name }) => name).join(', ');
  throw new CommandFailure(
    only === undefined
      ? `The key of ${source} sees no project.`
      : `The key of ${source} sees several projects. Add --project with one of: ${names}`,
  );
}

async function explaining<T>(source: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SluiceApiError && error.status === 401) throw notAccepted(error, source);
    throw error;
  }
}

function notAccepted({ requestId }: SluiceApiError, source: string): CommandFailure {
  const request = requestId === undefined ? '' : ` [request ${requestId}]`;
  const from = source === 'SLUICE_URL' ? 'SLUICE_API_KEY' : source;
  return new CommandFailure(
    `The key of ${from} is not accepted: it is wrong, was revoked, or belongs to another server. Give another one with: sluice profile add${request}`,
  );
}
