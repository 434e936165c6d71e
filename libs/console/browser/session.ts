import { createSluiceClient, type SluiceClient } from '@sluice/client';
import type { Project } from '@sluice/types';

/** Who is signed in: a key and the one project that it opens. */
export interface Session {
  readonly apiKey: string;
  readonly project: Pick<Project, 'id' | 'name'>;
}

/** The key is kept here only: removed with the tab, never in an address, a cookie or a log. */
const storageName = 'sluice.session';

/** Beside the page, also behind a proxy that puts a path before it. */
export const baseUrl = new URL('v1', document.baseURI).href;

/** The methods of the management API, as this key. */
export type Api = SluiceClient['management'];

export function apiOf(apiKey: string, projectIdOrName?: string): Api {
  return clientOf(apiKey, projectIdOrName).management;
}

/** The same with headers and status, for lists whose next page is in a header. */
export function rawApiOf({ apiKey, project }: Session): SluiceClient['raw']['management'] {
  return clientOf(apiKey, project.id).raw.management;
}

function clientOf(apiKey: string, projectIdOrName?: string): SluiceClient {
  return createSluiceClient({
    baseUrl,
    apiKey,
    retries: 1,
    // A browser's fetch wants to be called by itself. The key is the only credential.
    fetch: (input, init) => fetch(input, { ...init, credentials: 'omit' }),
    ...(projectIdOrName === undefined ? {} : { projectIdOrName }),
  });
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
  const session = { apiKey, project: { id, name } };
  sessionStorage.setItem(storageName, JSON.stringify(session));
  return session;
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

export function signOut(): void {
  sessionStorage.removeItem(storageName);
}
