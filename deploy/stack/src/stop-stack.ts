import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from './log';
import { endServices, endUnneeded } from './stack-holders';
import { openStateBook, serviceNames } from './stack-state';
import { withStackLock } from './stack-lock';

/** Ends every service that was started on this folder, whoever needs it, and nothing else. */
export async function stopStack(dataDir: string, log: Log): Promise<void> {
  if (!existsSync(join(dataDir, 'stack.json'))) return;
  await withStackLock(dataDir, log, async () => {
    const book = openStateBook(dataDir);
    book.state.kept = [];
    await endServices(book, serviceNames, log);
    book.save();
  });
}

/** Ends the services that no living process needs and nobody asked to keep: what a killed `npm test` left behind. */
export async function releaseStack(dataDir: string, log: Log): Promise<void> {
  if (!existsSync(join(dataDir, 'stack.json'))) return;
  await withStackLock(dataDir, log, async () => endUnneeded(openStateBook(dataDir), log));
}
