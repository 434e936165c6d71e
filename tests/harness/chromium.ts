import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { chromium, type Browser } from 'playwright-core';

/**
 * Debian's chromium: on PATH, or where its package puts it.
 * @param unchecked what is not tested without it, for the reader
 * @returns undefined, said aloud, where there is none
 */
export function findChromium(unchecked: string): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), '/usr/bin'];
  const found = folders.map((folder) => join(folder, 'chromium')).find((file) => existsSync(file));
  if (found === undefined) {
    process.stderr.write(
      `NOT RUN: ${unchecked}, for want of chromium. Install it, or: npm run browser:tools (root on Debian)\n`,
    );
  }
  return found;
}

/** A browser without a window; close it. Root may run it too: what it opens is our own, so it does without its sandbox. */
export async function openChromium(executablePath: string): Promise<Browser> {
  return await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
