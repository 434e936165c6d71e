import { createHash } from 'node:crypto';
import { json, noBody, route, type Request, type RequestHandler, type Router } from '@sluice/http';
import { signedUrlSchema, type SignedUrl } from '@sluice/types';
import { newId, type Upload } from '@sluice/store';
import { ConflictError, NotFoundError, type Issue } from '@sluice/errors';
import type { ManagementContext } from '../context';
import { projectIdOf } from '../projects/get-project';
import { hashOf, newProjectSecret, projectOfSecret } from '../one-time-secrets';
import { uploadPath, signedUrlOf } from './upload-address';
import { uploadLimits } from './upload-limits';
import { manifestIn } from './manifest-in-zip';
import { refusedUpload } from './refused-upload';

interface GenerateParts {
  readonly query: { readonly md5?: string };
}

interface PutParts {
  readonly params: { readonly uploadToken: string };
}

/** Sixteen bytes in base64. */
const md5Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9+/]{21}[AQgw]==$',
  description: 'MD5 of the zip in base64 (RFC 1864): then other bytes are refused.',
} as const;

/** `GET /v1/generate-upload-url`. The project is that of the key: the path names none. */
export function uploadUrlRoutes(router: Router, context: ManagementContext): void {
  router.get(
    '/v1/generate-upload-url',
    route<GenerateParts>({
      operationId: 'generateUploadUrl',
      summary: 'Get an address for a zip with a manifest',
      description:
        'PUT a zip that holds amp.yaml or amp.yml to url within an hour, without a key: at most 1 MB, Content-Type application/zip, application/octet-stream or none. The same zip may be put again, another one not. Then deploy it as sourceZipUrl gs://<bucket>/<path>, within another hour.',
      tags: ['Integrations'],
      replies: { 200: json(signedUrlSchema) },
      scopes: ['frontend'],
      query: { type: 'object', additionalProperties: false, properties: { md5: md5Schema } },
      handle: async ({ caller, query }) => ({
        body: await generateUploadUrl(context, projectIdOf(caller) ?? '', query.md5),
      }),
    }),
  );
}

/** `PUT` at such an address. Open: the secret in it is what admits. */
export function uploadRoutes(router: Router, context: ManagementContext): void {
  router.put(
    uploadPath,
    admit(context),
    route<PutParts>({
      isInternal: true,
      replies: { 200: noBody('The zip can be deployed.') },
      bytes: {
        contentTypes: ['application/zip', 'application/octet-stream'],
        bytesMax: uploadLimits.zipBytesMax,
        tooLargeRemedy: 'Zip amp.yaml alone.',
      },
      handle: async (request) => {
        const contentMd5 = request.header('content-md5');
        const zip = { content: request.bodyContent, ...(contentMd5 === undefined ? {} : { contentMd5 }) };
        await receiveUpload(context, request.params.uploadToken, zip);
        // As the storage answers that published clients put to.
        return { status: 200 };
      },
    }),
  );
}

/** So that nobody without an address makes us read a megabyte. */
function admit(context: ManagementContext): RequestHandler {
  return async (req: Request, _res, next) => {
    await findAddressed(context, String(req.params['uploadToken']));
    next();
  };
}

/**
 * Hands out an address for one zip, which only this project can deploy.
 * @param md5 what the zip must come to, in base64
 */
async function generateUploadUrl(
  { config, store }: Pick<ManagementContext, 'config' | 'store'>,
  projectId: string,
  md5?: string,
): Promise<SignedUrl> {
  const [id, token] = [newId(), newProjectSecret(projectId)];
  const upload = { projectId, id, tokenHash: hashOf(token), ...(md5 === undefined ? {} : { md5 }) };
  await store.uploads.save(upload, uploadLimits.lifeMs, uploadLimits.waitingMax);
  return signedUrlOf(config, upload, token);
}

/** A zip as it arrived. */
interface SentZip {
  readonly content: Buffer;
  /** The header `Content-MD5`. Source: RFC 1864. */
  readonly contentMd5?: string;
}

/**
 * The upload that an address stands for. Asked before the body is read, and again with it.
 * @throws NotFoundError `upload.not-found`, alike for what was never made and what has ended
 */
async function findAddressed({ store }: Pick<ManagementContext, 'store'>, token: string): Promise<Upload> {
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
async function receiveUpload(context: ManagementContext, token: string, zip: SentZip): Promise<void> {
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
