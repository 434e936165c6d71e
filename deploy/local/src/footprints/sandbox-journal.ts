import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** Where the sandbox keeps what it was sent, so that the CRM survives a `kill -9` as a real one would. */
export function sandboxJournal(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, 'sandbox.jsonl');
}
