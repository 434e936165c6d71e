import type { UploadKey } from '@sluice/store';
import type { SignedUrl } from '@sluice/types';
import { publicAddress } from '../callback-address';
import type { ManagementConfig } from '../config';

/** Where a zip is put. The last segment is the secret that admits. */
export const uploadPath = '/v1/uploads/:uploadToken';

/** A name for the form's sake: published clients build `gs://<bucket>/<path>` of it. There is no such bucket anywhere. */
const bucket = 'sluice-uploads';

/** What stands before the path in `sourceZipUrl`. */
export const uploadScheme = `gs://${bucket}/`;

const named = /^gs:\/\/sluice-uploads\/([A-Za-z0-9-]{1,64})\/([A-Za-z0-9-]{1,64})\.zip$/;

/** The reply for an upload that was just made. */
export function signedUrlOf(
  config: Pick<ManagementConfig, 'publicUrl' | 'port'>,
  { projectId, id }: UploadKey,
  token: string,
): SignedUrl {
  const url = `${publicAddress(config)}${uploadPath.replace(':uploadToken', token)}`;
  return { url, bucket, path: `${projectId}/${id}.zip` };
}

/** The upload that a `sourceZipUrl` names; undefined for what has not the form of one. */
export function uploadNamedBy(sourceZipUrl: string): UploadKey | undefined {
  const [, projectId, id] = named.exec(sourceZipUrl) ?? [];
  return projectId === undefined || id === undefined ? undefined : { projectId, id };
}
