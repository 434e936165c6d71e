import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathWithin, type Recording, type RecordedExchange } from './recording';

/** A server that answers as a recording did. */
export interface Replay {
  readonly url: string;
  /** Requests that the recording does not have, or not with this body, or not once more. */
  readonly strays: readonly string[];
  /** Recorded exchanges that nobody asked for so far. */
  readonly unused: () => readonly string[];
  close(): Promise<void>;
}

/**
 * Answers each request with the recorded reply to the same one: method, path and body, moments aside; of several the earliest
 * that was not given yet. Another request is 501.
 */
export async function startReplay(recording: Pick<Recording, 'exchanges' | 'provider'>): Promise<Replay> {
  const left = recording.exchanges.map((exchange) => ({ exchange, key: keyOf(exchange.request) }));
  const strays: string[] = [];
  const server = createServer((request, response) => void reply(request, response));
  async function reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await read(request);
    const path = pathWithin(request.url ?? '', recording.provider);
    const asked = { method: request.method ?? '', path, ...(body !== undefined && { body }) };
    const at = left.findIndex(({ key }) => key === keyOf(asked));
    const [found] = at === -1 ? [] : left.splice(at, 1);
    if (!found) strays.push(keyOf(asked));
    answer(request, response, found?.exchange);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    strays,
    unused: () => left.map(({ key }) => key),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Moments are those of the run; everything else must be equal. */
const moment = /\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?::|%3A)\d\d(?:\.\d+)?Z?|\b1[6-9]\d{11}\b/g;

function keyOf({ method, path, body }: RecordedExchange['request']): string {
  return `${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}`.replace(moment, '<moment>');
}

async function read(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === '' ? undefined : (JSON.parse(text) as unknown);
}

function answer(request: IncomingMessage, response: ServerResponse, exchange: RecordedExchange | undefined): void {
  const { reply } = exchange ?? {};
  if (exchange && !reply) {
    request.socket.destroy();
    return;
  }
  if (!reply) {
    response.writeHead(501, { 'content-type': 'text/plain' }).end('the recording has no such request');
    return;
  }
  response.writeHead(reply.status, { ...reply.headers });
  response.end(reply.json === undefined ? reply.text : JSON.stringify(reply.json));
}
