import { json, type Reply, type Router } from '@sluice/http';
import { installationSchema, publishInstallation, seesGroup } from '@sluice/types';
import type { Caller, Installation, Integration } from '@sluice/types';
import { presentConnection } from '../connections/get-connection';
import type { ManagementContext } from '../context';
import { routesOfIntegration, undeclaredWarning } from '../integrations/get-integration';
import { found } from '../refusals';

/** Routes under an installation's path: handlers get the installation. One of another integration, or of a token's other group, is 404. */
export function routesOfInstallation(router: Router, context: ManagementContext, tag: string) {
  return routesOfIntegration(router, context, tag).under('/installations/:installationId', {
    find: ({ caller, params }, integration) => getInstallation(context, integration, params.installationId, caller),
  });
}

/**
 * Routes under the path of an installation that need not exist: handlers get its key, and find by themselves that it is missing. A bearer token
 * gets the keys of its own group's installations only.
 */
export function routesOfInstallationKey(router: Router, context: ManagementContext) {
  return routesOfIntegration(router, context, 'Installations').under('/installations/:installationId', {
    find: async ({ caller, params: { installationId } }, integration) => {
      if (caller.kind === 'token') await getInstallation(context, integration, installationId, caller);
      return { integration, key: { projectId: integration.projectId, integrationId: integration.id, installationId } };
    },
  });
}

/** @throws NotFoundError `installation.not-found`, the same for one of another integration, project or a token's other group */
export async function getInstallation(
  { store }: ManagementContext,
  { projectId, id }: Integration,
  installationId: string,
  caller: Caller,
): Promise<Installation> {
  const installation = await store.installations.find(projectId, id, installationId);
  const isSeen = seesGroup(caller, installation?.group?.groupRef);
  return found(isSeen ? installation : undefined, 'installation.not-found');
}

/** The installation as this caller may see it, in the shape of replies. */
export function presentInstallation(caller: Caller, installation: Installation): Installation {
  return { ...publishInstallation(installation), connection: presentConnection(caller, installation.connection) };
}

/** What `changedReply` answers. */
export const changedInstallation = json(installationSchema, {
  'Sluice-Warning': { description: 'Objects that the manifest does not declare.' },
});

/** The reply with an installation that was made or changed. @param warnings ends of sentences for `Sluice-Warning` */
export function changedReply(
  caller: Caller,
  integration: Integration,
  installation: Installation,
  warnings: readonly string[] = [],
): Reply {
  const headers = undeclaredWarning(integration, installation, warnings);
  return { body: presentInstallation(caller, installation), headers };
}
