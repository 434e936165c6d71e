import { providerProblemCodes } from '@sluice/errors';
import { type Router, json, noBody } from '@sluice/http';
import {
  patchConfigContentRequestSchema,
  updateInstallationRequestSchema,
  type PatchConfigContentRequest,
  type UpdateInstallationRequest,
  installationSchema,
  type Integration,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { presentInstallation } from '../connections/present-connection';
import { undeclaredWarning } from '../integrations/manifest-warnings';
import { integrationPath, samplingQuery } from '../paths';
import { assertReach, installationNotFound } from './get-installation';
import { patchObjectConfig } from './patch-object-config';
import { updateInstallation } from './update-installation';
import { integrationRoute } from '../integrations/integration-route';

interface DeletionParts {
  readonly params: { projectIdOrName: string; integrationId: string; installationId: string };
}

interface UpdateParts extends DeletionParts {
  readonly query: { skipSampling?: boolean };
  readonly body: UpdateInstallationRequest;
}

interface PatchParts {
  readonly params: { projectIdOrName: string; integrationId: string; objectName: string };
  readonly body: PatchConfigContentRequest;
}

/** `PATCH` and `DELETE I/installations/{installationId}`, and `PATCH I/objects/{objectName}/config-content`. */
export function installationChangeRoutes(router: Router, context: ManagementContext): void {
  changeRoutes(router, context);
  objectRoutes(router, context);
}

function changeRoutes(router: Router, context: ManagementContext): void {
  router.patch(
    `${integrationPath}/installations/:installationId`,
    integrationRoute<UpdateParts>(context, {
      operationId: 'updateInstallation',
      summary: 'Change an installation',
      description: 'Only what updateMask names is changed.',
      tags: ['Installations'],
      example: {
        updateMask: ['config.content.write.objects.contacts'],
        installation: {
          config: {
            content: {
              write: { objects: { contacts: { objectName: 'contacts', deletionSettings: { enabled: true } } } },
            },
          },
        },
      },
      replies: {
        200: json(installationSchema, {
          'Sluice-Warning': { description: 'Objects that the manifest does not declare.' },
        }),
      },
      problems: ['installation.config-invalid', 'connection.not-found', ...providerProblemCodes],
      scopes: ['frontend', 'token'],
      query: samplingQuery,
      body: updateInstallationRequestSchema,
      handle: async ({ caller, params, query, body, traceparent }, integration) => {
        const { installationId } = params;
        await assertReach(context, integration, installationId, caller);
        const update = { integration, installationId, caller, request: body, ...query, traceparent };
        const { installation, warnings } = await updateInstallation(context, update);
        const headers = undeclaredWarning(integration, installation, warnings);
        return { body: presentInstallation(caller, installation), headers };
      },
    }),
  );
  router.delete(
    `${integrationPath}/installations/:installationId`,
    integrationRoute<DeletionParts>(context, {
      operationId: 'deleteInstallation',
      summary: 'Delete an installation',
      tags: ['Installations'],
      replies: { 204: noBody('It is deleted, and its connection when nothing else uses it.') },
      scopes: ['frontend', 'token'],
      handle: async ({ caller, params }, integration) => {
        await assertReach(context, integration, params.installationId, caller);
        await deleteInstallation(context, integration, params.installationId);
        return { status: 204 };
      },
    }),
  );
}

function objectRoutes(router: Router, context: ManagementContext): void {
  router.patch(
    `${integrationPath}/objects/:objectName/config-content`,
    integrationRoute<PatchParts>(context, {
      operationId: 'patchObjectConfig',
      summary: 'Patch the config of one object',
      description: 'JSON Patch: add, replace and remove.',
      tags: ['Installations'],
      example: {
        groupRef: 'demo-group',
        action: 'write',
        changes: [{ op: 'add', path: '/deletionSettings', value: { enabled: true } }],
      },
      replies: {
        200: json(installationSchema, {
          'Sluice-Warning': { description: 'Objects that the manifest does not declare.' },
        }),
      },
      problems: [
        'installation.not-found',
        'group.not-found',
        'installation.config-invalid',
        'write.object-not-in-manifest',
        'search.object-not-in-manifest',
        ...providerProblemCodes,
      ],
      scopes: ['frontend', 'token'],
      body: patchConfigContentRequestSchema,
      handle: async ({ caller, params, body }, integration) => {
        const { objectName } = params;
        const patched = await patchObjectConfig(context, { integration, objectName, caller, request: body });
        return { body: presentInstallation(caller, patched), headers: undeclaredWarning(integration, patched) };
      },
    }),
  );
}

/**
 * Deletes an installation, and its connection if no other installation uses it. What waits fails with "The installation was
 * deleted."; what is being sent at this moment finishes and is not tried again. What happened stays readable.
 * @throws NotFoundError `installation.not-found`, the same for one of another integration or project
 */
async function deleteInstallation(
  context: ManagementContext,
  integration: Integration,
  installationId: string,
): Promise<void> {
  const { projectId, id: integrationId } = integration;
  const isDeleted = await context.store.installations.remove({ projectId, integrationId, installationId });
  if (!isDeleted) throw installationNotFound();
  context.logger.info({ projectId, installationId }, 'installation.deleted');
}
