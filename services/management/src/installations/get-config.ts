import { NotFoundError } from '@sluice/errors';
import type { InstallationKey } from '@sluice/store';
import { diffJson, type ConfigVersion } from '@sluice/types';
import type { ManagementContext } from '../context';

/**
 * A config of an installation with what it changed, also of an installation that is deleted.
 * @throws NotFoundError `config.not-found`, the same for a config of another installation
 */
export async function getConfig(
  { store }: ManagementContext,
  installation: InstallationKey,
  configId: string,
): Promise<ConfigVersion> {
  const found = await store.configs.find(installation, configId);
  if (found === undefined) {
    const detail = 'configId: there is no such config of this installation.';
    throw new NotFoundError({ code: 'config.not-found', detail });
  }
  const { config, previous } = found;
  if (previous === undefined) return config;
  return { ...config, previousConfigId: previous.id, changes: diffJson(previous.content, config.content) };
}
