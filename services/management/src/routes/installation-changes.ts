import { route, type Router } from '@sluice/http';
import {
  patchConfigContentRequestSchema,
  updateInstallationRequestSchema,
  type PatchConfigContentRequest,
  type UpdateInstallationRequest,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getIntegration } from '../get-integration';
import { getProject } from '../get-project';
import { patchObjectConfig } from '../patch-object-config';
import { undeclaredWarning } from '../undeclared-objects';
import { updateInstallation } from '../update-installation';
import { integrationPath, noQuery, samplingQuery } from './paths';

interface UpdateParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
  readonly body: UpdateInstallationRequest;
}

interface PatchParts {
  readonly params: { projectIdOrName: string; integrationId: string; objectName: string };
  readonly body: PatchConfigContentRequest;
}

/** `PATCH I/installations/{installationId}` and `PATCH I/objects/{objectName}/config-content`. */
export function installationChangeRoutes(router: Router, context: ManagementContext): void {
  router.patch(
    `${integrationPath}/installations/:installationId`,
    route<UpdateParts>({
      scopes: ['frontend'],
      query: samplingQuery,
      body: updateInstallationRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        const { installationId } = params;
        const updated = await updateInstallation(context, { integration, installationId, caller, request: body });
        return { body: updated, headers: undeclaredWarning(integration, updated) };
      },
    }),
  );
  router.patch(
    `${integrationPath}/objects/:objectName/config-content`,
    route<PatchParts>({
      scopes: ['frontend'],
      query: noQuery,
      body: patchConfigContentRequestSchema,
      handle: async ({ caller, params, body }) => {
        const project = await getProject(context, caller, params.projectIdOrName);
        const integration = await getIntegration(context, project.id, params.integrationId);
        const { objectName } = params;
        const patched = await patchObjectConfig(context, { integration, objectName, caller, request: body });
        return { body: patched, headers: undeclaredWarning(integration, patched) };
      },
    }),
  );
}
