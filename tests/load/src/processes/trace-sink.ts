import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerMessages, sendReady } from '../harness/child';

/** A collector that takes traces (OTLP over HTTP) and forgets them: what it costs is no part of what is measured. */
let requests = 0;
let bytes = 0;

const server = createServer((request, response) => {
  requests += 1;
  request.on('data', (chunk: Buffer) => (bytes += chunk.length));
  request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
server.keepAliveTimeout = 120_000;
answerMessages(() => Promise.resolve({ requests, bytes }));
server.listen(0, '127.0.0.1', () => sendReady({ port: (server.address() as AddressInfo).port }));
