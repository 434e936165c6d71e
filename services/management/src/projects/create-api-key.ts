import { randomBytes } from 'node:crypto';
import type { ApiKey, CreateApiKeyRequest } from '@sluice/types';
import type { ManagementContext } from '../context';

/** 256 bits: no one guesses it, so a plain SHA-256 of it is enough at rest. */
const secretBytes = 32;

/** Makes a key. Its secret stands in `key` of this result and nowhere after. */
export async function createApiKey(
  context: ManagementContext,
  projectId: string,
  request: CreateApiKeyRequest,
): Promise<ApiKey> {
  const secret = `sk_${randomBytes(secretBytes).toString('base64url')}`;
  const { label, scopes = ['full'] } = request;
  const created = await context.store.apiKeys.create({ projectId, label, scopes, secret });
  context.logger.info({ projectId, keyId: created.id, scopes }, 'api-key.created');
  return { ...created, key: secret };
}
