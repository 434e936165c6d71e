import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, request } from 'undici';
import { readArgument, tellReady } from '../harness/child';
import type { BaselineArgument } from './listen';

/** The least that can stand between a caller and the provider: node:http in, undici out, bodies untouched. */
const { providerUrl } = readArgument() as BaselineArgument;
const agent = new Agent();
const server = createServer((incoming, outgoing) => {
  const chunks: Buffer[] = [];
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.on('end', () => {
    forward(incoming.url ?? '/', Buffer.concat(chunks), outgoing).catch(() => outgoing.destroy());
  });
});
server.keepAliveTimeout = 120_000;
server.listen(0, '127.0.0.1', () => tellReady({ port: (server.address() as AddressInfo).port }));

async function forward(path: string, body: Buffer, outgoing: ServerResponse): Promise<void> {
  const reply = await request(`${providerUrl}${path}`, {
    method: 'POST',
    dispatcher: agent,
    headers: { 'content-type': 'application/json', authorization: 'Bearer bench-0' },
    body,
  });
  const answer = Buffer.from(await reply.body.arrayBuffer());
  outgoing.writeHead(reply.statusCode, { 'content-type': 'application/json', 'content-length': answer.length });
  outgoing.end(answer);
}
