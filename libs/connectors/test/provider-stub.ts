import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface StubRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  /** Parsed when it was sent as JSON, else its text; undefined without one. */
  readonly body: unknown;
}

/** A reply to send, or a function that does what it likes to the connection. */
export type StubReply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  | ((response: ServerResponse) => void);

/** Takes the request and says nothing. */
export const silence: StubReply = () => undefined;

/** Longest call of a test whose provider answers, in milliseconds: no machine is as slow as that. */
export const patientMs = 60_000;

/** Longest call of a test whose provider never answers, in milliseconds: long enough to send the request in, however busy the machine is. */
export const impatientMs = 1_500;

export interface ProviderStub {
  readonly url: string;
  readonly requests: StubRequest[];
  /** What the next requests are answered with, one each; the last one stays. */
  replyWith(...replies: readonly StubReply[]): void;
  close(): Promise<void>;
}

/** An HTTP server on a real socket that records requests and answers as told. @param port 0 takes a free one */
export async function startProviderStub(port = 0): Promise<ProviderStub> {
  const requests: StubRequest[] = [];
  let replies: StubReply[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      requests.push({ method, path, headers, body: bodyOf(text, headers) });
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      answer(response, reply ?? { status: 500, body: { message: 'the test gave no reply' } });
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    replyWith(...next) {
      requests.length = 0;
      replies = [...next];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function bodyOf(text: string, headers: IncomingMessage['headers']): unknown {
  if (text === '') return undefined;
  return headers['content-type'] === 'application/json' ? JSON.parse(text) : text;
}

function answer(response: ServerResponse, reply: StubReply): void {
  if (typeof reply === 'function') {
    reply(response);
    return;
  }
  const { status, headers, body } = reply;
  const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
  response.writeHead(status, { 'content-type': 'application/json;charset=utf-8', ...headers });
  response.end(body === undefined || isRaw ? body : JSON.stringify(body));
}
