import type { Express } from 'express';
import type { AddressInfo } from 'node:net';
import { sendReady } from '../harness/child';

/** What a baseline of HTTP is started with; each takes what it needs. */
export interface BaselineArgument {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly kafkaBrokers: string;
  readonly providerUrl: string;
}

/** Listens on a free port of this machine and reports it to the benchmark. */
export function listen(app: Express): void {
  const server = app.listen(0, '127.0.0.1', () => sendReady({ port: (server.address() as AddressInfo).port }));
  // Node's own 5 s would end connections between two rounds.
  server.keepAliveTimeout = 120_000;
}
