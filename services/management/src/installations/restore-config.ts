import { authorOf, type Caller, type Installation, type Integration } from '@sluice/types';
import type { ManagementContext } from '../context';
import { getConfig } from './get-config';
import { orNotFound } from './get-installation';
import { contentMisfits } from './installation-misfits';
import { refuseContradictions } from '../refuse-issues';

/** Which config of an installation is to be in force again, and who says so. */
export interface ConfigRestoration {
  readonly integration: Integration;
  readonly installationId: string;
  readonly configId: string;
  readonly caller: Caller;
}

/**
 * Makes a new config with the content of an old one, under the rules and the manifest of today. The content that is in
 * force already makes none.
 * @throws NotFoundError `config.not-found`; `installation.not-found` when it is deleted
 * @throws ValidationError 422 when the content does not fit any more
 */
export async function restoreConfig(context: ManagementContext, restoration: ConfigRestoration): Promise<Installation> {
  const { integration, installationId, configId, caller } = restoration;
  const key = { projectId: integration.projectId, integrationId: integration.id, installationId };
  const { content } = await getConfig(context, key, configId);
  refuseContradictions('installation.config-invalid', contentMisfits(context, integration, content, 'content'));
  const restored = await context.store.installations.change(key, ({ connectionId }) => ({
    connectionId,
    content,
    createdBy: authorOf(caller),
    isCreatedByAsked: false,
  }));
  const installation = orNotFound(restored);
  const meta = { projectId: key.projectId, installationId, configId: installation.config.id, restored: configId };
  context.logger.info(meta, 'installation.updated');
  return installation;
}
