import { createSluiceClient, type SluiceClient } from '@sluice/client';
import type { Project } from '@sluice/types';

/** Who is signed in, and the project that is shown. */
export interface Session {
  /** Undefined for a person, whose browser has a cookie instead, which no script can read. */
  readonly apiKey: string | undefined;
  readonly person?: Person;
  readonly project: Pick<Project, 'id' | 'name'>;
}

/** Who signed in with OpenID Connect. */
export interface Person {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
}

/**
 * Whether a change that needs this scope is offered. Which scopes a key has is not known here: the service refuses what it may not do.
 * Source: a role stands for a scope, see the guide.
 */
export function isOffered({ person }: Session, scope: 'frontend' | 'full'): boolean {
  return person === undefined || person.role === 'admin' || (person.role === 'operator' && scope === 'frontend');
}

/**
 * Address of the write API as browsers see it; undefined where the service was given none, and the policy of this page lets it call no other.
 * The same as the API reference calls.
 */
export async function readWriteUrl(signal: AbortSignal): Promise<string | undefined> {
  const reply = await fetch(new URL('docs/reference/servers.json', document.baseURI).href, { signal });
  return ((await reply.json()) as { readonly write?: string }).write;
}

interface WriteOptions extends Pick<Project, 'id'> {
  readonly writeUrl: string;
  readonly apiKey: string;
}

/** The methods of the write API. It takes keys and no cookie. A write is sent once: the person decides whether to send it again. */
export function writeApiOf({ writeUrl, apiKey, id }: WriteOptions): SluiceClient['write'] {
  return createSluiceClient({
    baseUrl,
    writeUrl,
    apiKey,
    projectIdOrName: id,
    retries: 0,
    fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
  }).write;
}

/** How one may sign in here, and who has. */
export interface SignInState {
  /** Whether people may, with OpenID Connect. */
  readonly hasSignIn: boolean;
  readonly person?: Person;
}

/** A key is kept here only: removed with the tab, never in an address, a cookie or a log. */
const storageName = 'sluice.session';

/** Beside the page, also behind a proxy that puts a path before it. */
export const baseUrl = new URL('v1', document.baseURI).href;

/** The methods of the management API, as this key. */
export type Api = SluiceClient['management'];

export function apiOf(apiKey: string | undefined, projectIdOrName?: string): Api {
  return clientOf(apiKey, projectIdOrName).management;
}

function clientOf(apiKey: string | undefined, projectIdOrName?: string): SluiceClient {
  return createSluiceClient({
    baseUrl,
    retries: 1,
    // A browser's fetch wants to be called by itself. A key is the only credential.
    ...(apiKey === undefined
      ? { fetch: (input, init) => fetch(input, asPerson(init)) }
      : { apiKey, fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }) }),
    ...(projectIdOrName === undefined ? {} : { projectIdOrName }),
  });
}

/** With the cookie of the session, and with the header that lets it count. */
function asPerson(init: RequestInit = {}): RequestInit {
  const headers = new Headers(init.headers);
  headers.set('sluice-console', '1');
  return { ...init, headers, credentials: 'same-origin' };
}

const addressOf = (name: string): string => new URL(`console/${name}`, document.baseURI).href;
export const signInAddress = addressOf('sign-in');

/** @throws Error named as the client's when nothing answers */
export async function readSignInState(signal: AbortSignal): Promise<SignInState> {
  const reply = await fetch(addressOf('session'), asPerson({ signal }));
  return (await reply.json()) as SignInState;
}

/** The projects that a person may enter. */
export const listProjects = (): Promise<readonly Project[]> => apiOf(undefined).listProjects();

export function enter(person: Person, { id, name }: Pick<Project, 'id' | 'name'>): Session {
  return keep({ apiKey: undefined, person, project: { id, name } });
}

function keep(session: Session): Session {
  sessionStorage.setItem(storageName, JSON.stringify(session));
  return session;
}

/**
 * Finds the project of a key.
 * @throws Error whose text describes the required key, for one that does not belong to exactly one project
 */
export async function signIn(apiKey: string): Promise<Session> {
  const projects = await apiOf(apiKey).listProjects();
  // The bootstrap key lists them all, and may read none.
  const isBootstrapKey = projects.length !== 1 || !(await canRead(apiKey, projects[0]?.id ?? ''));
  if (isBootstrapKey) throw new BootstrapKeyError();
  const { id, name } = projects[0] as Project;
  return keep({ apiKey, project: { id, name } });
}

async function canRead(apiKey: string, projectId: string): Promise<boolean> {
  try {
    await apiOf(apiKey, projectId).listLanes({ pageSize: 1 });
    return true;
  } catch (error) {
    if ((error as { readonly status?: number }).status === 403) return false;
    throw error;
  }
}

/** The bootstrap key makes projects and keys, and sees nothing of what they hold. */
class BootstrapKeyError extends Error {
  readonly detail = 'This is the bootstrap key: it makes projects and their keys, and sees nothing else.';
  readonly remedy = 'Make a key of the project with the scope frontend, and sign in with that.';
}

export function readSession(): Session | undefined {
  const kept = sessionStorage.getItem(storageName);
  if (kept === null) return undefined;
  try {
    return JSON.parse(kept) as Session;
  } catch {
    return undefined;
  }
}

/** Forgets the key, or only the project of a person, who goes on to another one. */
export function leaveProject(): void {
  sessionStorage.removeItem(storageName);
}

export async function signOut({ person }: Pick<Session, 'person'>): Promise<void> {
  leaveProject();
  if (person !== undefined) await fetch(addressOf('sign-out'), asPerson({ method: 'POST' }));
}
