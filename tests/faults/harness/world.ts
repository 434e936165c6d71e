import type { ProcessName } from '@sluice/local';
import type { ServiceName } from '@sluice/stack';
import type { TcpProxy } from '@sluice/testkit';
import type { LogLine, Stack } from '../../harness/stack';
import type { KafkaWire } from './kafka-wire';
import type { Measured } from './measured';

/** One process: `{ name: 'executor', index: 1 }` is the second executor. */
export interface Party {
  readonly name: ProcessName;
  /** 0 or 1 for gateways, batchers and executors, 0 for the rest. @default 0 */
  readonly index?: 0 | 1;
}

/** What a party depends on, with a proxy between that need not know what it carries. */
export type Dependency = 'postgres' | 'redis' | 'provider';

/** Every process of ours, in the order of starting. */
export const parties: readonly Required<Party>[] = [
  { name: 'sandbox', index: 0 },
  { name: 'management', index: 0 },
  { name: 'search', index: 0 },
  { name: 'write-gateway', index: 0 },
  { name: 'write-gateway', index: 1 },
  { name: 'batcher', index: 0 },
  { name: 'batcher', index: 1 },
  { name: 'executor', index: 0 },
  { name: 'executor', index: 1 },
];

export interface WorldOptions {
  /** Added to, or in place of, what every process gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** @default 60 */
  readonly timeScale?: number;
  /** How long the sandbox takes for a call of the customers' accounts. @default 15 */
  readonly latencyMs?: number;
  /** Size of the disk that holds the data of Postgres, Redis and Kafka and every log. @default that of the machine */
  readonly diskMb?: number;
}

/**
 * Two gateways, batchers and executors, a search, a management and the sandbox as processes, on a Postgres, a Redis and a
 * Kafka of their own: whatever is killed here, no other suite notices.
 */
export interface World extends Measured {
  /** What the harness of the black-box tests takes (`createAccount`, `createCustomer`, `createProject`). */
  readonly stack: Stack;

  url(party: Party): string;
  pid(party: Party): number | undefined;
  /** Starts a party that is down and waits until it is ready. `env` adds to what it gets. */
  start(party: Party, env?: Readonly<Record<string, string>>): Promise<void>;
  /** Starts it once. @throws when it ends before it is ready, as one does whose failpoint is met at once */
  startOnce(party: Party, env?: Readonly<Record<string, string>>): Promise<void>;
  /** Sends a signal and waits until the process is gone; SIGSTOP and SIGCONT return at once. */
  kill(party: Party, signal: NodeJS.Signals): Promise<void>;
  /** The wire between a party and what it depends on; the provider's leads to the sandbox. */
  link(party: Party, to: Dependency): TcpProxy;
  kafkaLink(party: Party): KafkaWire;

  /** `kill -9` of Redis or Kafka; Postgres as `pg_ctl stop -m immediate` does. Waits until it is gone. */
  killService(name: ServiceName): Promise<void>;
  /** Starts what is down again on its data and port, and waits until it answers. */
  startService(name: ServiceName): Promise<void>;
  /** Holds the data of the services and the logs of the parties. */
  readonly folder: string;
  /** Its address without a proxy between. */
  serviceUrl(name: ServiceName): string;

  /** What the processes logged so far, parsed. */
  logLines(): LogLine[];
  stop(): Promise<void>;
}
