import { createSluiceClient, SluiceApiError, type SluiceClient } from '@sluice/client';
import { nearestName, readProcessEnv } from '@sluice/config';
import { CommandFailure } from '../failure';
import { plain } from '../output/print';
import { groupOfToken, readToken } from './bearer-token';
import { profileFileOf, readProfiles, type Profile, type Profiles } from './profile-file';

/** Options as they were given, those of every command among them. */
export interface GivenOptions {
  readonly profile?: string;
  readonly project?: string;
  readonly json?: boolean;
  /** Of a command that takes a bearer token in place of the key. */
  readonly tokenFile?: string;
}

/** The management API of one project. */
export type Management = SluiceClient['management'];

/** What a command works with. */
export interface Connected {
  readonly management: Management;
  readonly client: SluiceClient;
  /** @throws CommandFailure when nothing names its address */
  readonly write: SluiceClient['write'];
  /** @throws CommandFailure when nothing names its address */
  readonly search: SluiceClient['search'];
  /** The group of the bearer token; undefined: of an API key. */
  readonly tokenGroup: string | undefined;
  /** Id or name of the project. */
  readonly project: string;
}

interface Target extends Partial<Profile> {
  /** Replaces the key. */
  readonly tokenFile?: string;
  /** Names it in sentences: `profile demo`, `SLUICE_URL`. */
  readonly source: string;
}

/** See `connected` of a command. */
export async function connectAs<T>(options: GivenOptions, act: (to: Connected) => Promise<T>): Promise<T> {
  const target = findTarget(options);
  return await explaining(target, async () => await act(await connectTo(target)));
}

async function connectTo({ url, writeUrl, searchUrl, apiKey, tokenFile, project, source }: Target): Promise<Connected> {
  const credential = tokenFile === undefined ? apiKey : readToken(tokenFile);
  if (url === undefined || credential === undefined) {
    const missing = url === undefined ? 'SLUICE_URL' : 'SLUICE_API_KEY';
    throw new CommandFailure(
      `There is no profile, and ${missing} is not set. Run: sluice profile add <name> --url <url>`,
    );
  }
  const baseUrl = addressOf(url, source);
  const tokenGroup = groupOfToken(credential);
  if (project === undefined && tokenGroup !== undefined) {
    throw new CommandFailure('A bearer token does not name its project. Add --project <idOrName>.');
  }
  const projectIdOrName = project ?? (await ownProject(baseUrl, credential, source));
  const client = createSluiceClient({
    baseUrl,
    projectIdOrName,
    ...(writeUrl !== undefined && { writeUrl: addressOf(writeUrl, source) }),
    ...(searchUrl !== undefined && { searchUrl: addressOf(searchUrl, source) }),
    ...(tokenFile === undefined ? { apiKey: credential } : { token: () => readToken(tokenFile) }),
    // The output is the reply's.
    onWarning: (warning) => process.stderr.write(`sluice: warning: ${plain(warning)}\n`),
  });
  return {
    client,
    management: client.management,
    get write() {
      if (writeUrl === undefined) throw noAddress('write', source);
      return client.write;
    },
    get search() {
      if (searchUrl === undefined) throw noAddress('search', source);
      return client.search;
    },
    tokenGroup,
    project: projectIdOrName,
  };
}

function noAddress(api: 'write' | 'search', source: string): CommandFailure {
  const variable = `SLUICE_${api.toUpperCase()}_URL`;
  const add = `Add the profile again with --${api}-url <url>, or set ${variable}.`;
  const remedy = source === 'SLUICE_URL' ? `Set ${variable}.` : add;
  return new CommandFailure(
    `No ${api} address is known (${source}): it is another one than that of management. ${remedy}`,
  );
}

/** An explicit profile beats the environment, which beats the profile in use. */
function findTarget({ profile: asked, project, tokenFile }: GivenOptions): Target {
  const env = readProcessEnv();
  const file = profileFileOf(env);
  const named = project === undefined ? {} : { project };
  const { SLUICE_WRITE_URL: writeUrl, SLUICE_SEARCH_URL: searchUrl } = env;
  const addresses = { ...(writeUrl && { writeUrl }), ...(searchUrl && { searchUrl }) };
  const token = tokenFile === undefined ? {} : { tokenFile };
  if (asked === undefined && env['SLUICE_URL'] !== undefined) {
    const { SLUICE_URL: url, SLUICE_API_KEY: apiKey, SLUICE_PROJECT: own } = env;
    const more = { ...(apiKey && { apiKey }), ...(own && { project: own }), ...addresses, ...named };
    return { url, ...more, ...token, source: 'SLUICE_URL' };
  }
  const { current, profiles } = readProfiles(file);
  const name = asked ?? current;
  if (name === undefined) return { ...token, source: file };
  const key = asked === undefined ? env['SLUICE_API_KEY'] : undefined;
  return {
    ...findProfile(profiles, name),
    ...(asked === undefined && addresses),
    ...(key && { apiKey: key }),
    ...named,
    ...token,
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
  const projects = await explaining({ source }, async () => await management.listProjects());
  const [only] = projects;
  if (only !== undefined && projects.length === 1) return only.id;
  const names = projects.map(({ name }) => name).join(', ');
  throw new CommandFailure(
    only === undefined
      ? `The key of ${source} sees no project.`
      : `The key of ${source} sees several projects. Add --project with one of: ${names}`,
  );
}

async function explaining<T>(target: Target, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof SluiceApiError && error.status === 401) throw notAccepted(error, target);
    throw error;
  }
}

function notAccepted({ requestId, detail }: SluiceApiError, { source, tokenFile }: Target): CommandFailure {
  const request = requestId === undefined ? '' : ` [request ${requestId}]`;
  if (tokenFile !== undefined) {
    return new CommandFailure(`The token of ${tokenFile} is not accepted: ${detail} Sign a new one.${request}`);
  }
  const from = source === 'SLUICE_URL' ? 'SLUICE_API_KEY' : source;
  return new CommandFailure(
    `The key of ${from} is not accepted: it is wrong, was revoked, or belongs to another server. Give another one with: sluice profile add${request}`,
  );
}
