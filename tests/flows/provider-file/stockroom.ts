import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The API and the file of the guide, as they stand there. */
export interface Stockroom {
  /** With `stockroom.yaml` in it. */
  readonly folder: string;
  stop(): void;
}

/** The page of the example. */
export const guide = readFileSync(join(__dirname, '../../../docs/guides/add-a-provider.md'), 'utf8');

/** The first block of a language in the guide. */
function blockOf(language: string): string {
  const block = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(guide)?.[1];
  if (block === undefined) throw new Error(`the guide has no block of ${language}`);
  return block;
}

/** Writes both blocks out and runs the API, each at a free port in place of the guide's. */
export async function startStockroom(): Promise<Stockroom> {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-providers-'));
  const port = await freePort();
  writeFileSync(join(folder, 'stockroom.mjs'), blockOf('js'));
  writeFileSync(join(folder, 'stockroom.yaml'), blockOf('yaml').replace('127.0.0.1:4700', `127.0.0.1:${port}`));
  const api = spawn(process.execPath, [join(folder, 'stockroom.mjs'), String(port)], { stdio: 'inherit' });
  const items = `http://127.0.0.1:${port}/api/items`;
  for (let tries = 0; tries < 1_200; tries += 1) {
    if (await fetch(items).catch(() => undefined)) return { folder, stop: () => void api.kill() };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  api.kill();
  throw new Error('the API of the guide does not answer');
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
