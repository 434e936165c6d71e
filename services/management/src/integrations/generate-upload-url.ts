import { newId } from '@sluice/store';
import type { SignedUrl } from '@sluice/types';
import type { ManagementContext } from '../context';
import { hashOf, newProjectSecret } from '../one-time-secrets';
import { signedUrlOf } from './upload-address';
import { uploadLimits } from './upload-limits';

/**
 * Hands out an address for one zip, which only this project can deploy.
 * @param md5 what the zip must come to, in base64
 */
export async function generateUploadUrl(
  { config, store }: Pick<ManagementContext, 'config' | 'store'>,
  projectId: string,
  md5?: string,
): Promise<SignedUrl> {
  const [id, token] = [newId(), newProjectSecret(projectId)];
  const upload = { projectId, id, tokenHash: hashOf(token), ...(md5 === undefined ? {} : { md5 }) };
  await store.uploads.save(upload, uploadLimits.lifeMs, uploadLimits.waitingMax);
  return signedUrlOf(config, upload, token);
}
