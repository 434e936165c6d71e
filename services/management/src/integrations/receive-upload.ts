import { createHash } from 'node:crypto';
import { ConflictError, NotFoundError, type Issue } from '@sluice/errors';
import type { Upload } from '@sluice/store';
import type { ManagementContext } from '../context';
import { hashOf, projectOfSecret } from '../one-time-secrets';
import { manifestIn } from './manifest-in-zip';
import { refusedUpload } from './refused-upload';
import { uploadLimits } from './upload-limits';

/** A zip as it arrived. */
export interface SentZip {
  readonly content: Buffer;
  /** The header `Content-MD5`. Source: RFC 1864. */
  readonly contentMd5?: string;
}

/**
 * The upload that an address stands for. Asked before the body is read, and again with it.
 * @throws NotFoundError `upload.not-found`, alike for what was never made and what has ended
 */
export async function findAddressed({ store }: Pick<ManagementContext, 'store'>, token: string): Promise<Upload> {
  const projectId = projectOfSecret(token);
  const key = projectId === undefined ? undefined : { projectId, tokenHash: hashOf(token) };
  const upload = key && (await store.uploads.findByToken(key));
  if (upload === undefined) {
    const detail = 'The address of the upload is unknown, or older than an hour.';
    throw new NotFoundError({ code: 'upload.not-found', detail });
  }
  return upload;
}

/**
 * Takes the zip of an upload: what is kept of it is its manifest. A zip that is refused leaves the address as it was; the one that was taken
 * may come again, because the reply to it may have been lost, and changes nothing.
 * @throws ValidationError 400 for other bytes than were announced and for a zip that breaks a rule; ConflictError `upload.taken` for another
 *   zip than was taken; as findAddressed does
 */
export async function receiveUpload(context: ManagementContext, token: string, zip: SentZip): Promise<void> {
  const upload = await findAddressed(context, token);
  const zipHash = createHash('sha256').update(zip.content).digest('base64url');
  const isTaken = upload.manifest !== undefined;
  if (isTaken && upload.zipHash !== zipHash) {
    throw new ConflictError({ code: 'upload.taken', detail: 'Another zip was put at this address before.' });
  }
  refuseOtherBytes(upload, zip);
  if (isTaken) return;
  const manifest = await manifestIn(zip.content);
  const isPut = await context.store.uploads.put(upload, { manifest, zipHash }, uploadLimits.lifeMs);
  // Somebody was faster, or the hour is over: another look says which.
  if (!isPut) return await receiveUpload(context, token, zip);
  const { projectId, id } = upload;
  context.logger.info({ projectId, uploadId: id, bytes: zip.content.length }, 'upload.received');
}

/** Against damage on the way, not against an attacker: who has the address may send what he likes. */
function refuseOtherBytes({ md5: asked }: Upload, { content, contentMd5 }: SentZip): void {
  const actual = createHash('md5').update(content).digest('base64');
  const remedy = 'Send the bytes again as they were when their MD5 was taken, or ask for an address without md5.';
  if (contentMd5 !== undefined && contentMd5 !== actual) {
    const detail = `must be the MD5 of the body in base64, which is ${actual}`;
    throw refusedUpload({ in: 'header', name: 'Content-MD5', detail, value: contentMd5.slice(0, 80) }, remedy);
  }
  if (asked === undefined || asked === actual) return;
  const issue: Issue = {
    in: 'body',
    name: 'zip',
    detail: `must have the MD5 that its address was asked for, ${asked}`,
  };
  throw refusedUpload({ ...issue, value: actual }, remedy);
}
