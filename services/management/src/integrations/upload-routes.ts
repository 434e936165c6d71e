import { json, noBody, route, type Request, type RequestHandler, type Router } from '@sluice/http';
import { signedUrlSchema, type SignedUrl } from '@sluice/types';
import { newId } from '@sluice/store';
import type { ManagementContext } from '../context';
import { projectIdOf } from '../projects/get-project';
import { hashOf, newProjectSecret } from '../one-time-secrets';
import { findAddressed, receiveUpload } from './receive-upload';
import { uploadPath, signedUrlOf } from './upload-address';
import { uploadLimits } from './upload-limits';

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
