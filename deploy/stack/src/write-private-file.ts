import { renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that only its owner can read; appears whole or not at all. */
export function writePrivateFile(file: string, content: object): void {
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
  renameSync(fresh, file);
}
