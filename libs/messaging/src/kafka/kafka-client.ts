import type { Logger } from '@sluice/telemetry';
import { Kafka, logLevel, type ISocketFactory, type logCreator, type SASLOptions } from 'kafkajs';

export interface KafkaClientOptions {
  /** `host:port` of one broker or more; the others are learned from it. */
  readonly brokers: readonly string[];
  /** Present: TLS, by the public authorities or these PEM certificates (`ca`), and with a certificate of the client's own. */
  readonly tls?: { readonly ca?: string; readonly cert?: string; readonly key?: string };
  /** Present: the client signs in. The password is secret. */
  readonly sasl?: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    readonly password: string;
  };
  /** Shown in the broker's log: the service's name. */
  readonly clientId: string;
  readonly logger: Logger;
  /** For tests: makes the network fail without touching the broker. */
  readonly socketFactory?: ISocketFactory;
}

/** Makes a fresh client. */
export type NewKafka = () => Kafka;

/**
 * A maker of clients. Each producer, admin and consumer session gets a client of its own. Consumers of one client share their committed offsets by
 * group, so a second member of a group would read the first one's. Retries inside kafkajs are few and short, because whoever uses the client builds a
 * new one with a backoff. That recovers from every kind of end, and from a broker restart in seconds (github.com/tulios/kafkajs/issues/1439).
 */
export function kafkaClients(options: KafkaClientOptions): NewKafka {
  fixRequestQueue();
  const logCreator = logBridge(options.logger);
  return () =>
    new Kafka({
      brokers: [...options.brokers],
      clientId: options.clientId,
      ...(options.tls ? { ssl: { ...options.tls } } : {}),
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

/** While a broker is away kafkajs logs it several times a second; one line per message in this time is enough. */
const quietMs = 10_000;
const messagesMax = 100;

/** Members come and go with every deployment; kafkajs logs each of these as an error. */
const ordinary = /rebalancing|not aware of this member|Response without match/;

/**
 * Writes the log lines of kafkajs as `warn`: it calls a refused connection an error, but nobody must act. Lines about a rebalance
 * are `debug`. Stack traces are left out. `repeated` counts the equal lines that were suppressed.
 */
export function logBridge(logger: Logger, now: () => number = () => performance.now()): logCreator {
  const written = new Map<string, { atMs: number; repeated: number }>();
  return () =>
    ({ namespace, log }) => {
      const { message, timestamp: _timestamp, logger: _logger, stack: _stack, ...rest } = log;
      const id = `${namespace} ${message}`;
      const before = written.get(id);
      if (before && now() - before.atMs < quietMs) {
        before.repeated += 1;
        return;
      }
      if (written.size >= messagesMax) written.clear();
      written.set(id, { atMs: now(), repeated: 0 });
      const repeated = before?.repeated ? { repeated: before.repeated } : {};
      const level = ordinary.test(`${message} ${String(rest['error'])}`) ? 'debug' : 'warn';
      logger[level]({ kafka: { namespace, message, ...rest, ...repeated } }, 'kafka.client');
    };
}

/** The part of a kafkajs internal that is patched here; kafkajs publishes no types for it. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  scheduleCheckPendingRequests: () => void;
}

let isFixed = false;

/**
 * kafkajs 2.2.4 arms a timer with a negative delay for every connection that has nothing to send, again every millisecond. The
 * patch pays: without it an idle process takes 1.7 % of a core (measured) and prints a TimeoutNegativeWarning on Node 24.
 * With it the timer is armed only while requests wait. Source: github.com/tulios/kafkajs/issues/1751.
 */
export function fixRequestQueue(): void {
  if (isFixed) return;
  isFixed = true;
  const { prototype } = require('kafkajs/src/network/requestQueue') as { prototype: RequestQueue };
  const original = prototype.scheduleCheckPendingRequests;
  prototype.scheduleCheckPendingRequests = function scheduleWhilePending(this: RequestQueue) {
    if (this.pending.length > 0) original.call(this);
  };
  keepTopicReasons();
}

/** The answer to a request for topics, of each version of the protocol. */
interface TopicsResponse {
  parse: (data: { topicErrors: readonly { topic: string; errorMessage?: string | null }[] }) => Promise<unknown>;
}

/** kafkajs 2.2.4 reads why a broker refuses a topic, and which setting of it, and drops it: `Topic creation errors` is all that it throws. */
function keepTopicReasons(): void {
  for (const response of [
    require('kafkajs/src/protocol/requests/createTopics/v1/response'),
    require('kafkajs/src/protocol/requests/createTopics/v2/response'),
    require('kafkajs/src/protocol/requests/createTopics/v3/response'),
  ] as TopicsResponse[]) {
    const { parse } = response;
    response.parse = (data) =>
      parse(data).catch((error: unknown) => {
        for (const refused of (error as { errors?: { topic: string; message: string }[] }).errors ?? []) {
          const reason = data.topicErrors.find(({ topic }) => topic === refused.topic)?.errorMessage;
          refused.message = reason ?? refused.message;
        }
        throw error;
      });
  }
}
