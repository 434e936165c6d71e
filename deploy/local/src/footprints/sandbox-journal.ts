import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessName } from '../service-ports';

/** Where the sandbox keeps what it was sent, so that the CRM survives a `kill -9` as a real one would. */
export function sandboxJournal(folder: string): string {
  mkdirSync(folder, { recursive: true });
  return join(folder, 'sandbox.jsonl');
}

/** What the sandbox as a process needs besides the rest; nothing for the others. */
export function journalEnv(name: ProcessName, folder: string): Record<string, string> {
  return name === 'sandbox' ? { SLUICE_SANDBOX_LEDGER: sandboxJournal(folder) } : {};
}
