import { isUtf8 } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { fromBufferPromise, type Entry, type ZipFile } from 'yauzl';
import { ValidationError } from '@sluice/errors';
import { refusedUpload } from './refused-upload';
import { uploadLimits } from './upload-limits';

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
 * unpacks to is counted while it is unpacked, so a zip that lies about its sizes is refused like one that tells them.
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
    const said = error instanceof Error ? error.message.replaceAll(/\p{Cc}+/gu, ' ').slice(0, 200) : '';
    throw refused(`is not a zip that can be read: ${said.replace(/\.$/, '')}`, remedies.zip);
  }
}

async function entriesOf(archive: ZipFile): Promise<Entry[]> {
  if (archive.entryCount > uploadLimits.entriesMax) {
    throw refused(`has more than ${uploadLimits.entriesMax} entries`, remedies.small, String(archive.entryCount));
  }
  const entries: Entry[] = [];
  let bytes = 0;
  // A name that leads out of the archive ends the loop: yauzl refuses `..`, absolute names and backslashes.
  for await (const entry of archive.eachEntry()) {
    if (entry.isEncrypted()) throw refused('has an encrypted entry', remedies.zip, shown(entry));
    bytes += entry.uncompressedSize;
    entries.push(entry);
  }
  const { unpackedBytesMax } = uploadLimits;
  if (bytes <= unpackedBytesMax) return entries;
  throw refused(`unpacks to more than ${unpackedBytesMax} bytes`, remedies.small, String(bytes));
}

function theManifest(entries: readonly Entry[]): Entry {
  const found = entries.filter(({ fileName }) => manifestNames.includes(fileName.split('/').at(-1) ?? ''));
  const [manifest] = found;
  if (manifest === undefined) throw refused('holds no amp.yaml and no amp.yml', remedies.zip, shownAll(entries));
  if (found.length > 1) throw refused('holds more than one manifest', remedies.one, shownAll(found));
  const { manifestBytesMax } = uploadLimits;
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

function refused(detail: string, remedy: string, value?: string): ValidationError {
  const issue = { in: 'body', name: 'zip', detail } as const;
  return refusedUpload(value === undefined ? issue : { ...issue, value }, remedy);
}

function shown({ fileName }: Entry): string {
  return fileName.slice(0, shownCharacters);
}

function shownAll(entries: readonly Entry[]): string {
  return entries.slice(0, shownNames).map(shown).join(', ');
}
