import { NotFoundError } from '@sluice/errors';
import { seesGroup, type Caller, type Installation, type Integration } from '@sluice/types';
import type { ManagementContext } from '../context';

/** @throws NotFoundError `installation.not-found`, the same for one of another integration, project or a token's other group */
export async function getInstallation(
  { store }: ManagementContext,
  { projectId, id }: Integration,
  installationId: string,
  caller: Caller,
): Promise<Installation> {
  const installation = await store.installations.find(projectId, id, installationId);
  return orNotFound(seesGroup(caller, installation?.group?.groupRef) ? installation : undefined);
}

/**
 * Lets a bearer token change installations of its own group only; what others name is found by the change itself.
 * @throws NotFoundError `installation.not-found`, the same for another group's
 */
export async function assertReach(
  context: ManagementContext,
  integration: Integration,
  installationId: string,
  caller: Caller,
): Promise<void> {
  if (caller.kind === 'token') await getInstallation(context, integration, installationId, caller);
}

/** @throws NotFoundError `installation.not-found` when it is absent */
export function orNotFound(installation: Installation | undefined, name = 'installationId'): Installation {
  if (installation !== undefined) return installation;
  throw installationNotFound(name);
}

export function installationNotFound(name = 'installationId'): NotFoundError {
  const detail = `${name}: there is no such installation of this integration.`;
  return new NotFoundError({ code: 'installation.not-found', detail });
}
