import { openObject, text } from './json-schema';
/** Where one zip with a manifest may be put, and what it is called then. Source: published API, `SignedUrl`. */
export interface SignedUrl {
  /** Takes one PUT of the zip, without a key: whoever has the address may. */
  readonly url: string;
  /** With `path` what a deployment names: `gs://<bucket>/<path>`. */
  readonly bucket: string;
  readonly path: string;
}

/** Schema of the reply. */
export const signedUrlSchema = openObject(
  'Where one zip with a manifest may be put. Deploy it as sourceZipUrl: gs://<bucket>/<path>.',
  ['url', 'bucket', 'path'],
  {
    url: text('Accepts one PUT of the zip, without a key. Secret: whoever has it may upload.'),
    bucket: text('The same for every upload.'),
    path: text('Name of the zip in the bucket. Not secret.'),
  },
);
