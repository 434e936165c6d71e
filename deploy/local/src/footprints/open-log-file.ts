import { createWriteStream, mkdirSync, statSync, type WriteStream } from 'node:fs';
import { dirname } from 'node:path';

/** A log is begun anew when it has grown past this. */
const bytesMax = 20 * 1024 * 1024;

/** Opens a log for appending; its folder is made. */
export function openLogFile(file: string): { readonly stream: WriteStream; close(): Promise<void> } {
  mkdirSync(dirname(file), { recursive: true });
  const isTooLong = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > bytesMax;
  const stream = createWriteStream(file, { flags: isTooLong ? 'w' : 'a', mode: 0o600 });
  return { stream, close: () => new Promise((resolve) => stream.end(() => resolve())) };
}
