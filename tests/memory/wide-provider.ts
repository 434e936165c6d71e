import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Replies that are as wide as they may be: as many values, names or combinations of names as a reply may have. */
const wide: Readonly<Record<string, () => string>> = {
  '/account-info/v3/details': () => '{"portalId":1}',
  '/crm/v3/properties/wide': () => {
    const results = Array.from({ length: 95_000 }, (_, at) => ({
      name: `f${at}`,
      label: `${at}`.padEnd(60),
      type: 'string',
    }));
    return JSON.stringify({ results });
  },
  '/crm/v3/objects/names/search': () => {
    const properties = (record: number) =>
      Object.fromEntries(Array.from({ length: 990 }, (_, at) => [`n${record}_${at}`, String(at)]));
    return JSON.stringify({
      total: 100,
      results: Array.from({ length: 100 }, (_, at) => ({ id: String(at), properties: properties(at) })),
    });
  },
  '/crm/v3/objects/name/search': () => `{${Array.from({ length: 390_000 }, (_, at) => `"n${at}":1`).join()}}`,
};

/** HubSpot as far as a path begins like one above; of everything else it has nothing. */
export async function startWideProvider(): Promise<{ readonly url: string; close(): void }> {
  const made = new Map(Object.entries(wide).map(([path, text]) => [path, Buffer.from(text())]));
  const server = createServer((request, reply) => {
    const path = request.url?.replace(/\?.*/, '').replace(/\d+$/, '') ?? '';
    const body = made.get(path) ?? Buffer.from('{"status":"error","message":"nothing"}');
    request.resume().on('end', () => {
      reply.writeHead(made.has(path) ? 200 : 404, {
        'content-type': 'application/json',
        'content-length': body.length,
      });
      reply.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
