import type { ManagementContext } from '../context';
import { refusedUpload } from './refused-upload';
import { uploadNamedBy, uploadScheme } from './upload-address';

const shownCharacters = 200;
const ask =
  'Ask GET /v1/generate-upload-url for an address, PUT the zip there, and send gs://<bucket>/<path> within an hour; or send the text as sourceYaml.';

/**
 * Text of the manifest that a `sourceZipUrl` names. It is looked up, never fetched: whatever else an address leads to, nobody goes there.
 * @throws ValidationError 400; what belongs to another project is answered as what was never there
 */
export async function readUpload(
  { store }: Pick<ManagementContext, 'store'>,
  projectId: string,
  sourceZipUrl: string,
): Promise<string> {
  const refused = (detail: string, remedy: string) => {
    const value = sourceZipUrl.slice(0, shownCharacters);
    return refusedUpload({ in: 'body', name: 'sourceZipUrl', detail, value }, remedy);
  };
  if (!sourceZipUrl.startsWith(uploadScheme)) {
    throw refused(`must start with ${uploadScheme}: nothing is fetched from elsewhere`, ask);
  }
  const key = uploadNamedBy(sourceZipUrl);
  const upload = key?.projectId === projectId ? await store.uploads.find(key) : undefined;
  if (upload === undefined) throw refused('names no upload of this project of the last hour', ask);
  if (upload.manifest === undefined) {
    throw refused(
      'names an upload to which nothing was put',
      'PUT the zip to the url that came with this path, first.',
    );
  }
  return upload.manifest.toString('utf8');
}
