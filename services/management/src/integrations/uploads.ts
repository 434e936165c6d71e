import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { ConflictError, ForbiddenError, NotFoundError, ValidationError } from '@sluice/errors';
import { invalid, json, noBody, queryOf, routesUnder, type Router } from '@sluice/http';
import { newId, type Upload } from '@sluice/store';
import { signedUrlSchema, type SignedUrl } from '@sluice/types';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { publicAddress } from '../config';
import type { ManagementContext } from '../context';
import { hashOf, newProjectSecret, projectOfSecret } from '../one-time-secrets';
import { projectIdOf } from '../projects/get-project';

/** How long an address takes a zip, and from then on how long it can be deployed: an hour each. Spec is silent (rulings). */
const lifeMs = 3_600_000;
/** Uploads of a project that wait at once; the oldest give way. With a megabyte each it bounds what a key can have us keep. */
const waitingMax = 100;

/** A name that only keeps the form: published clients build `gs://<bucket>/<path>` from it. No such bucket exists. */
const bucket = 'sluice-uploads';
/** The text before the path in `sourceZipUrl`. */
const scheme = `gs://${bucket}/`;
const named = /^gs:\/\/sluice-uploads\/([A-Za-z0-9-]{1,64})\/([A-Za-z0-9-]{1,64})\.zip$/;

/** Sixteen bytes in base64. */
const md5Schema = {
  type: 'string',
  pattern: '^[A-Za-z0-9+/]{21}[AQgw]==$',
  description: 'MD5 of the zip in base64 (RFC 1864): then other bytes are refused.',
} as const;

/** `GET /v1/generate-upload-url`. The project is that of the key: the path names none, so it is not for people, who have none. */
export function uploadUrlRoutes(router: Router, context: ManagementContext): void {
  const all = routesUnder(router, '/v1/generate-upload-url', { tags: ['Integrations'], find: () => undefined });
  all.get('', 'generateUploadUrl', {
    summary: 'Get an address for a zip with a manifest',
    description:
      'PUT a zip that holds amp.yaml or amp.yml to url within an hour, without a key: at most 1 MB, Content-Type application/zip, application/octet-stream or none. The same zip may be put again, another one not. Then deploy it as sourceZipUrl gs://<bucket>/<path>, within another hour.',
    replies: { 200: json(signedUrlSchema) },
    scopes: ['frontend'],
    query: queryOf({ md5: md5Schema }),
    answer: async ({ caller, query: { md5 } }) => {
      const projectId = projectIdOf(caller);
      if (projectId === undefined) throw noProject();
      const [id, token] = [newId(), newProjectSecret(projectId)];
      await context.store.uploads.save({ projectId, id, tokenHash: hashOf(token), md5 }, lifeMs, waitingMax);
      const url = `${publicAddress(context.config)}/v1/uploads/${token}`;
      return { url, bucket, path: `${projectId}/${id}.zip` } satisfies SignedUrl;
    },
  });
}

function noProject(): ForbiddenError {
  return new ForbiddenError({
    code: 'auth.scope-missing',
    detail: 'An upload belongs to the project of an API key; a person who is signed in has none.',
    remedy: 'Send the text of the manifest as sourceYaml, or ask with an API key of the project.',
  });
}

/** `PUT` at an upload address. Its last segment is the secret; without it no body is read. */
export function uploadRoutes(router: Router, context: ManagementContext): void {
  routesUnder(router, '/v1/uploads', { find: () => undefined }).put('/:uploadToken', 'putUpload', {
    isInternal: true,
    // Any query: a proxy that passes the address on may add to it.
    query: {},
    // As the storage answers that published clients put to.
    replies: { 200: noBody('The zip can be deployed.') },
    bytes: {
      contentTypes: ['application/zip', 'application/octet-stream'],
      bytesMax: zipBytesMax,
      tooLargeRemedy: 'Zip amp.yaml alone.',
    },
    // What a kilobyte may unpack to, in its chunks and whole.
    replyBytesMax: 2 * manifestBytesMax,
    admit: ({ params }) => findAddressed(context, params.uploadToken),
    answer: async (request) => {
      const zip = { content: request.bodyContent, contentMd5: request.header('content-md5') };
      await receiveUpload(context, request.params.uploadToken, zip);
    },
  });
}

/** A zip as it arrived, and the header `Content-MD5` (RFC 1864). */
interface SentZip {
  readonly content: Buffer;
  readonly contentMd5: string | undefined;
}

/**
 * The upload that an address stands for. Asked before the body is read, and again with it.
 * @throws NotFoundError `upload.not-found`, alike for what was never made and what has ended
 */
async function findAddressed({ store }: ManagementContext, token: string): Promise<Upload> {
  const projectId = projectOfSecret(token);
  const upload = projectId && (await store.uploads.findByToken({ projectId, tokenHash: hashOf(token) }));
  if (upload) return upload;
  const detail = 'The address of the upload is unknown, or older than an hour.';
  throw new NotFoundError({ code: 'upload.not-found', detail });
}

/**
 * Takes the zip of an upload: what is kept of it is its manifest. A zip that is refused leaves the address as it was; the one that was taken
 * may come again, because the reply to it may have been lost, and changes nothing.
 * @throws ValidationError 400 for other bytes than were announced and for a zip that breaks a rule. ConflictError `upload.taken` for another zip than
 * was taken. Otherwise as findAddressed does.
 */
async function receiveUpload(context: ManagementContext, token: string, zip: SentZip): Promise<void> {
  const upload = await findAddressed(context, token);
  const zipHash = createHash('sha256').update(zip.content).digest('base64url');
  const isTaken = upload.manifest !== undefined;
  if (isTaken && upload.zipHash !== zipHash)
    throw new ConflictError({ code: 'upload.taken', detail: 'Another zip was put at this address before.' });
  refuseOtherBytes(upload, zip);
  if (isTaken) return;
  const manifest = await manifestIn(zip.content);
  const isPut = await context.store.uploads.put(upload, { manifest, zipHash }, lifeMs);
  // Another request was faster, or the hour is over: reading the upload again shows which.
  if (!isPut) return await receiveUpload(context, token, zip);
  const { projectId, id } = upload;
  context.logger.info({ projectId, uploadId: id, bytes: zip.content.length }, 'upload.received');
}

/** Against damage in transit, not against an attacker: the holder of the address may send anything. */
function refuseOtherBytes({ md5: asked }: Upload, { content, contentMd5 }: SentZip): void {
  const actual = createHash('md5').update(content).digest('base64');
  const remedy = 'Send the bytes again as they were when their MD5 was taken, or ask for an address without md5.';
  if (contentMd5 !== undefined && contentMd5 !== actual) {
    const detail = `must be the MD5 of the body in base64, which is ${actual}`;
    throw invalid([{ in: 'header', name: 'Content-MD5', detail, value: contentMd5.slice(0, 80) }], { remedy });
  }
  if (asked === undefined || asked === actual) return;
  const detail = `must have the MD5 that its address was asked for, ${asked}`;
  throw refused(detail, remedy, actual);
}

/** Characters of an address that a refusal repeats. */
const addressShown = 200;
const ask =
  'Ask GET /v1/generate-upload-url for an address, PUT the zip there, and send gs://<bucket>/<path> within an hour; or send the text as sourceYaml.';

/**
 * Text of the manifest that a `sourceZipUrl` names. It is looked up in the database; no address is ever fetched.
 * @throws ValidationError 400; what belongs to another project is answered as what was never there
 */
export async function readUpload(
  { store }: ManagementContext,
  projectId: string,
  sourceZipUrl: string,
): Promise<string> {
  const refuse = (detail: string, remedy: string) => {
    const value = sourceZipUrl.slice(0, addressShown);
    return invalid([{ in: 'body', name: 'sourceZipUrl', detail, value }], { remedy });
  };
  if (!sourceZipUrl.startsWith(scheme))
    throw refuse(`must start with ${scheme}: nothing is fetched from elsewhere`, ask);
  const [, owner, id = ''] = named.exec(sourceZipUrl) ?? [];
  const upload = owner === projectId ? await store.uploads.find({ projectId, id }) : undefined;
  if (upload === undefined) throw refuse('names no upload of this project of the last hour', ask);
  if (upload.manifest !== undefined) return upload.manifest.toString('utf8');
  const remedy = 'PUT the zip to the url that came with this path, first.';
  throw refuse('names an upload to which nothing was put', remedy);
}

// Limits of uploads. The specification is silent; each is far above what a manifest needs (rulings).
/** Bytes of the zip. As many as a JSON body may have. */
const zipBytesMax = 1_048_576;
/** Bytes of the manifest, unpacked: as many as `sourceYaml` may have. Nothing else of a zip is unpacked. */
const manifestBytesMax = 1_048_576;
/** Bytes that all entries say they unpack to. */
const unpackedBytesMax = 10_485_760;
const entriesMax = 1_000;

/** As the published command line names it. */
const manifestNames = ['amp.yaml', 'amp.yml'];
const remedies = {
  zip: 'Zip the folder with amp.yaml, without a password, and send the bytes of the zip.',
  one: 'Zip the folder of one amp.yaml.',
  small: 'Zip amp.yaml alone.',
  utf8: 'Save amp.yaml as UTF-8.',
};
/** Names that a refusal repeats. */
const shownNames = 5;
const shownCharacters = 100;

/**
 * The bytes of the one manifest in a zip, in whatever folder it lies. Nothing else is unpacked, and nothing is written anywhere. What an entry
 * unpacks to is counted while it is unpacked, so a zip that states wrong sizes is refused like one that states them right.
 * @throws ValidationError 400 for what is no zip, is damaged, encrypted, too large, names entries outside of itself, or holds no manifest
 *   or several
 */
export async function manifestIn(zip: Buffer): Promise<Buffer> {
  try {
    const archive = await fromBufferPromise(zip, { lazyEntries: true, strictFileNames: true });
    const manifest = await unpacked(archive, theManifest(await entriesOf(archive)));
    if (!isUtf8(manifest)) throw refused('holds a manifest that is not encoded as UTF-8', remedies.utf8);
    return manifest;
  } catch (error) {
    if (error instanceof ValidationError) throw error;
    // Whatever yauzl and zlib throw is about these bytes: there is no file, no network and no clock.
    const reason = error instanceof Error ? error.message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200) : '';
    throw refused(`is not a zip that can be read: ${reason.replace(/\.$/, '')}`, remedies.zip);
  }
}

async function entriesOf(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > entriesMax)
    throw refused(`has more than ${entriesMax} entries`, remedies.small, String(archive.entryCount));
  const entries: Entry[] = [];
  let bytes = 0;
  // A name that leads out of the archive ends the loop: yauzl refuses `..`, absolute names and backslashes.
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw refused('has an encrypted entry', remedies.zip, shown(entry));
    bytes += entry.uncompressedSize;
    entries.push(entry);
  }
  if (bytes <= unpackedBytesMax) return entries;
  throw refused(`unpacks to more than ${unpackedBytesMax} bytes`, remedies.small, String(bytes));
}

function theManifest(entries: readonly Entry[]): Entry {
  const found = entries.filter(({ fileName }) => manifestNames.includes(fileName.split('/').at(-1) ?? ''));
  const [manifest] = found;
  if (manifest === undefined) throw refused('holds no amp.yaml and no amp.yml', remedies.zip, shownAll(entries));
  if (found.length > 1) throw refused('holds more than one manifest', remedies.one, shownAll(found));
  if (manifest.uncompressedSize <= manifestBytesMax) return manifest;
  const size = String(manifest.uncompressedSize);
  throw refused(`holds a manifest of more than ${manifestBytesMax} bytes`, remedies.small, size);
}

/** Ends with an error as soon as there is a byte more than the entry says, which is at most `manifestBytesMax`. */
async function unpacked(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of await archive.openReadStreamPromise(entry)) chunks.push(chunk as Buffer);
  const content = Buffer.concat(chunks);
  if (crc32(content) !== entry.crc32) throw refused('holds a damaged entry', remedies.zip, shown(entry));
  return content;
}

/** The error for a rule of zips that is broken, with what can be done about it. */
function refused(detail: string, remedy: string, value?: string): ValidationError {
  return invalid([{ in: 'body', name: 'zip', detail, value }], { remedy });
}

const shown = ({ fileName }: Entry): string => fileName.slice(0, shownCharacters);

const shownAll = (entries: readonly Entry[]): string => entries.slice(0, shownNames).map(shown).join(', ');
