import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@sluice/testkit';

/** What a receiver was sent. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Receiver {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly received: Received[];
  close(): Promise<void>;
}

/** A receiver whose answers the test decides. @param answer called with each request after it was recorded */
export async function startReceiver(
  answer: (response: ServerResponse, received: Received, request: IncomingMessage) => void,
): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString() };
      received.push(one);
      answer(response, one, request);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The receiver of the guide, in a process of its own. */
export interface SampleReceiver {
  readonly url: string;
  /** What it printed. */
  readonly lines: readonly string[];
  close(): Promise<void>;
}

/** Where the guide's sample stands. */
export const sampleFile = join(__dirname, 'receive-notifications.mjs');

/** @param secret what it verifies with */
export async function startSample(secret: string): Promise<SampleReceiver> {
  const child = spawn(process.execPath, [sampleFile], {
    env: { WEBHOOK_SECRET: secret, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  await until('the sample listens', () => lines[0]);
  const port = /^listening on (\d+)$/.exec(lines.shift() ?? '')?.[1] ?? '';
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    close: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
  };
}
