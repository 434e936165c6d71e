import { zipOf } from '@sluice/testkit';
import { call } from '../../harness/api';
import type { World } from '../../security/tenancy/world';
import { integration, signedUrl } from '../published/resources';
import { listOf } from '../published/shape';
import { invalidInput, json, md5Of, problem, type Replay, type ReplayIds } from '../replay';

const P = '/projects/{projectIdOrName}';
const I = `${P}/integrations/{integrationId}`;
const platform = { client: 'sdk-node-platform', base: 'baseUrl' } as const;
const amp = { client: 'amp', base: 'baseUrl' } as const;

/** As the command line zips a folder: the manifest alone, always by this name. */
export const zip = zipOf([
  { name: 'amp.yaml', content: 'specVersion: 1.0.0\nintegrations:\n  - name: zipped\n    provider: hubspot\n' },
]);

interface Handed {
  readonly url: string;
  readonly bucket: string;
  readonly path: string;
}

/** An address, by the published names. */
export async function handedOut({ stack, project: { key } }: World, md5: string): Promise<Handed> {
  const query = new URLSearchParams({ md5 }).toString();
  return await call<Handed>(`${stack.baseUrl}/generate-upload-url?${query}`, { method: 'GET', key });
}

async function freshAddress(world: World): Promise<Partial<ReplayIds>> {
  const { url, bucket, path } = await handedOut(world, md5Of(zip));
  return { uploadToken: url.split('/').at(-1) ?? '', sourceZipUrl: `gs://${bucket}/${path}` };
}

/** A zip that was put, with a manifest of this integration. */
const freshZip =
  (manifest: (world: World) => Buffer) =>
  async (world: World): Promise<Partial<ReplayIds>> => {
    const bytes = manifest(world);
    const { url, bucket, path } = await handedOut(world, md5Of(bytes));
    const { status } = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) });
    if (status !== 200) throw new Error(`the zip was answered with ${status}`);
    return { sourceZipUrl: `gs://${bucket}/${path}` };
  };

const zipOfWorld = ({ ids: { integrationName } }: World): Buffer => {
  const objects = { objects: [{ objectName: 'contacts' }] };
  const entry = { name: integrationName, provider: 'hubspot', read: objects, write: objects };
  return zipOf([{ name: 'amp.yaml', content: JSON.stringify({ specVersion: '1.0.0', integrations: [entry] }) }]);
};
const body = ({ sourceZipUrl }: ReplayIds) => ({ sourceZipUrl });

/** API reference, sections B and M: how a zip gets here. */
export const uploads: readonly Replay[] = [
  {
    ...platform,
    call: 'uploadUrls.generate',
    request: 'GET /generate-upload-url',
    status: 200,
    reply: json(signedUrl),
  },
  {
    ...amp,
    call: 'deploy, step 1',
    request: 'GET /generate-upload-url',
    query: () => ({ md5: md5Of(zip) }),
    status: 200,
    reply: json(signedUrl),
  },
  {
    ...amp,
    call: 'deploy, step 2',
    request: 'PUT /uploads/{uploadToken}',
    bytes: zip,
    fresh: freshAddress,
    status: 200,
    reply: 'nothing',
  },
  {
    ...amp,
    call: 'deploy, step 2, a damaged zip',
    request: 'PUT /uploads/{uploadToken}',
    bytes: zip.subarray(1),
    fresh: freshAddress,
    status: 400,
    reply: invalidInput,
  },
  {
    ...amp,
    call: 'deploy, step 2, an unknown address',
    request: 'PUT /uploads/{uploadToken}',
    bytes: zip,
    fresh: () => Promise.resolve({ uploadToken: 'nobody.made' }),
    status: 404,
    reply: problem,
  },
  {
    ...amp,
    call: 'deploy, step 3',
    request: `PUT ${P}/integrations:batch`,
    fresh: freshZip(() => zip),
    body,
    status: 200,
    reply: json(listOf(integration)),
  },
  {
    ...amp,
    call: 'deploy, step 3, "Stop reading these objects"',
    request: `PUT ${P}/integrations:batch`,
    query: () => ({ destructive: 'true' }),
    fresh: freshZip(() => zip),
    body,
    status: 200,
    reply: json(listOf(integration)),
  },
  {
    ...amp,
    call: 'deploy, step 3, a zip of elsewhere',
    request: `PUT ${P}/integrations:batch`,
    body: () => ({ sourceZipUrl: 'gs://bucket/path' }),
    status: 400,
    reply: invalidInput,
  },
  {
    ...platform,
    call: 'revisions.create, sourceZipUrl',
    request: `POST ${I}/revisions`,
    fresh: freshZip(zipOfWorld),
    body,
    status: 201,
    reply: 'nothing',
  },
];
