import { NotFoundError } from '@sluice/errors';
import type { Installation, Integration } from '@sluice/types';
import type { ManagementContext } from './context';

/** @throws NotFoundError `installation.not-found`, the same for one of another integration or project */
export async function getInstallation(
  { store }: ManagementContext,
  { projectId, id }: Integration,
  installationId: string,
): Promise<Installation> {
  return orNotFound(await store.installations.find(projectId, id, installationId));
}

/** @throws NotFoundError `installation.not-found` when it is absent */
export function orNotFound(installation: Installation | undefined, name = 'installationId'): Installation {
  if (installation !== undefined) return installation;
  const detail = `${name}: there is no such installation of this integration.`;
  throw new NotFoundError({ code: 'installation.not-found', detail });
}
