import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A builder's web server: an origin of its own, which is not the API's. */
export interface PageServer {
  readonly url: string;
  close(): Promise<void>;
}

/** @param issueToken what a builder's backend answers its page: a bearer token for this user of this group */
export async function servePage(
  script: string,
  issueToken: (refs: { groupRef: string; consumerRef: string }) => string,
): Promise<PageServer> {
  const html = '<!doctype html><meta charset="utf-8"><title>Builder</title><body><script src="/page.js"></script>';
  const answer = ({ pathname, searchParams }: URL): readonly [string, string] | undefined => {
    const [groupRef, consumerRef] = [searchParams.get('groupRef') ?? '', searchParams.get('consumerRef') ?? ''];
    if (pathname === '/') return ['text/html', html];
    if (pathname === '/page.js') return ['text/javascript', script];
    return pathname === '/token' ? ['text/plain', issueToken({ groupRef, consumerRef })] : undefined;
  };
  const server = createServer((request, reply) => {
    const [type, body] = answer(new URL(request.url ?? '/', 'http://builder')) ?? [];
    if (type === undefined) reply.writeHead(404).end();
    else reply.setHeader('content-type', type).end(body);
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
