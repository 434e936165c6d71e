import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { build } from 'esbuild';

/** A builder's web server, of an origin that is not the page's. */
export async function serveBuilder() {
  const options = { bundle: true, write: false, format: 'iife', logLevel: 'error' } as const;
  const { outputFiles } = await build({ ...options, entryPoints: [join(__dirname, 'builder-page.mjs')] });
  const html =
    '<!doctype html><html lang="en"><link rel="icon" href="data:,"><title>Builder</title><body><script src="/page.js"></script>';
  const server = createServer((request, reply) => {
    const isScript = request.url === '/page.js';
    reply.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    reply.end(isScript ? outputFiles[0]?.text : html);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
