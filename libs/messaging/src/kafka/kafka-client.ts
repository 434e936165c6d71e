import type { Logger } from '@sluice/telemetry';
import { Kafka, logLevel, type ISocketFactory, type SASLOptions } from 'kafkajs';
import { fixRequestQueue } from './fix-request-queue';
import { logBridge } from './log-bridge';

export interface KafkaClientOptions {
  readonly brokers: readonly string[];
  /** Present: TLS; `ca` are PEM certificates to trust in place of the public authorities. */
  readonly tls?: { readonly ca?: string } | undefined;
  /** Present: the client signs in. */
  readonly sasl?: KafkaLogin | undefined;
  readonly clientId: string;
  readonly logger: Logger;
  /** For tests: makes the network fail without touching the broker. */
  readonly socketFactory?: ISocketFactory | undefined;
}

/** A login at the brokers. The password is secret. */
export interface KafkaLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

/** Makes a fresh client. */
export type NewKafka = () => Kafka;

/**
 * A maker of clients. Each producer, admin and consumer session gets a client of its own: consumers of one client
 * share their committed offsets by group, so that a second member of a group would read the first one's.
 * Retries inside kafkajs are few and short, because whoever uses the client builds a new one with a backoff: that
 * recovers from every kind of end, and from a broker restart in seconds (github.com/tulios/kafkajs/issues/1439).
 */
export function kafkaClients(options: KafkaClientOptions): NewKafka {
  fixRequestQueue();
  const logCreator = logBridge(options.logger);
  return () =>
    new Kafka({
      brokers: [...options.brokers],
      clientId: options.clientId,
      ...(options.tls ? { ssl: options.tls.ca === undefined ? true : { ca: [options.tls.ca] } } : {}),
      ...(options.sasl ? { sasl: options.sasl as SASLOptions } : {}),
      // Of the TCP and TLS handshake; a broker across a region answers within 0.3 s.
      connectionTimeout: 2_000,
      // Longer than any broker needs while it lives (the joining of a group has its own bound).
      requestTimeout: 5_000,
      retry: { initialRetryTime: 100, retries: 2, maxRetryTime: 1_000, multiplier: 2, factor: 0.2 },
      logLevel: logLevel.WARN,
      logCreator,
      ...(options.socketFactory ? { socketFactory: options.socketFactory } : {}),
    });
}
