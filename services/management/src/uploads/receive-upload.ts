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
 * @throws NotFoundError `upload.not-found`, alike for what was never made and what has ended; ConflictError `upload.taken`
 */
export async function findAddressed({ store }: Pick<ManagementContext, 'store'>, token: string): Promise<Upload> {
  const projectId = projectOfSecret(token);
  const key = projectId === undefined ? undefined : { projectId, tokenHash: hashOf(token) };
  const upload = key && (await store.uploads.findByToken(key));
  if (upload === undefined) {
    const detail = 'The address of the upload is unknown, or older than an hour.';
    throw new NotFoundError({ code: 'upload.not-found', detail });
  }
  if (upload.manifest !== undefined) throw taken();
  return upload;
}

/**
 * Takes the zip of an upload: what is kept of it is its manifest. A zip that is refused leaves the address as it was.
 * @throws ValidationError 400 for other bytes than were announced and for a zip that breaks a rule; as findAddressed does
 */
export async function receiveUpload(context: ManagementContext, token: string, zip: SentZip): Promise<void> {
  const upload = await findAddressed(context, token);
  refuseOtherBytes(upload, zip);
  const manifest = await manifestIn(zip.content);
  if (!(await context.store.uploads.put(upload, manifest, uploadLimits.lifeMs))) throw taken();
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

function taken(): ConflictError {
  return new ConflictError({ code: 'upload.taken', detail: 'A zip was put at this address before.' });
}
