import { NotFoundError, type Issue } from '@sluice/errors';
import type { ProviderAppChange } from '@sluice/store';
import type { ProviderApp, UpdateProviderAppRequest } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConnector } from './get-connector';
import { refuseIssues } from '../refuse-issues';

/** What an app cannot be without. The others are cleared by a mask that names them without a value. */
const required = ['provider', 'clientId', 'clientSecret'] as const;

/** An update with the names of its path. */
export interface ProviderAppUpdate {
  readonly projectId: string;
  readonly appId: string;
  readonly request: UpdateProviderAppRequest;
}

/**
 * Changes what the mask names; other values are ignored. In force for the next refresh of a token.
 * @throws NotFoundError `provider-app.not-found`
 */
export async function updateProviderApp(context: ManagementContext, update: ProviderAppUpdate): Promise<ProviderApp> {
  const { projectId, appId, request } = update;
  refuseIssues(checkMask(request));
  const changed = new Set(request.updateMask);
  const { provider } = request.providerApp;
  if (changed.has('provider') && provider !== undefined) getConnector(context, provider, 'providerApp.provider');
  const app = await context.store.providerApps.update(projectId, appId, toChange(context, update));
  if (app === undefined) throw providerAppNotFound();
  context.logger.info({ projectId, providerAppId: appId, fields: changed.size }, 'provider-app.updated');
  return app;
}

/** The same for another project's app. */
export function providerAppNotFound(): NotFoundError {
  const detail = 'providerAppId: there is no such provider app in this project.';
  return new NotFoundError({ code: 'provider-app.not-found', detail });
}

function checkMask({ updateMask, providerApp }: UpdateProviderAppRequest): Issue[] {
  return required
    .filter((field) => updateMask.includes(field) && providerApp[field] === undefined)
    .map((field) => ({ in: 'body', name: `providerApp.${field}`, detail: 'is required, because updateMask names it' }));
}

function toChange({ installations }: ManagementContext, { appId, request }: ProviderAppUpdate): ProviderAppChange {
  const { providerApp } = request;
  const { provider, clientId, clientSecret, externalRef = null, scopes = null, metadata = null } = providerApp;
  const has = (field: (typeof request.updateMask)[number]): boolean => request.updateMask.includes(field);
  return {
    ...(has('provider') && provider !== undefined ? { provider } : {}),
    ...(has('clientId') && clientId !== undefined ? { clientId } : {}),
    ...(has('clientSecret') && clientSecret !== undefined
      ? { sealed: installations.sealClientSecret(appId, clientSecret) }
      : {}),
    ...(has('externalRef') ? { externalRef } : {}),
    ...(has('scopes') ? { scopes } : {}),
    ...(has('metadata') ? { metadata } : {}),
  };
}
