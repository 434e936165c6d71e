import type { Logger } from '@sluice/telemetry';
import { backoffMs } from '../backoff';
import type { Consumer, ConsumeOptions } from '../messaging';
import type { MessagingCounters } from '../messaging-counters';
import { PartitionDelivery } from '../partition-delivery';
import type { Progress } from '../watchdog';
import { within } from '../within';
import type { BrokerAdmin } from './broker-admin';
import { ConsumerSession } from './consumer-session';
import type { NewKafka } from './kafka-client';

interface RunnerOptions extends ConsumeOptions {
  readonly newKafka: NewKafka;
  readonly admin: BrokerAdmin;
  readonly logger: Logger;
  readonly counters: MessagingCounters;
  readonly prefix: string;
}

const rejoin = { baseMs: 250, capMs: 3_000 };
const drainMs = 8_000;

/**
 * Keeps one member in its group: builds a session, and after its end, whatever the reason, the next one. So a broker
 * that is away at the start or later only delays, and a crash that kafkajs does not recover from
 * (github.com/tulios/kafkajs/issues/1445, 1513) is one more end.
 */
export class ConsumerRunner implements Consumer {
  private readonly topic: string;
  private readonly group: string;
  private readonly deliveries = new Map<number, PartitionDelivery>();
  private readonly life: Promise<void>;
  private session: ConsumerSession | undefined;
  private stopping: Promise<void> | undefined;
  private wasAsked = false;
  private ask: () => void = () => undefined;
  private readonly asked = new Promise<void>((resolve) => {
    this.ask = resolve;
  });

  constructor(private readonly options: RunnerOptions) {
    this.topic = `${options.prefix}${options.topic.name}`;
    this.group = `${options.prefix}${options.group}`;
    this.life = this.live();
  }

  get isJoined(): boolean {
    return this.session?.assigned !== undefined;
  }

  /** Of its own partitions once it has joined, of all of them before: then somebody else may be reading them. */
  async progress(): Promise<Progress[]> {
    const lags = await this.options.admin.lags(this.topic, this.group);
    const assigned = this.session?.assigned;
    return lags
      .filter(({ partition }) => assigned?.includes(partition) ?? true)
      .map(({ partition, committed, lag }) => ({
        partition,
        lag,
        mark: `${committed}:${this.deliveries.get(partition)?.ended ?? 0}`,
      }));
  }

  stop(): Promise<void> {
    this.wasAsked = true;
    this.ask();
    this.stopping ??= this.drain();
    return this.stopping;
  }

  private async drain(): Promise<void> {
    if (await within(drainMs, this.life)) return;
    this.options.logger.warn({ topic: this.topic, group: this.group, drainMs }, 'consumer.drain-timed-out');
  }

  private async live(): Promise<void> {
    for (let failures = 1; !this.wasAsked; failures += 1) {
      const joined = await this.oneSession(failures);
      if (joined) failures = 1;
      if (this.wasAsked) return;
      this.options.counters.restarted.inc({ topic: this.options.topic.name });
      await this.pause(backoffMs(rejoin, failures));
    }
  }

  /** @returns whether it got as far as joining */
  private async oneSession(failures: number): Promise<boolean> {
    const session = new ConsumerSession({
      kafka: this.options.newKafka(),
      logger: this.options.logger,
      topic: this.topic,
      group: this.group,
      partitions: this.options.topic.partitions,
      deliveryOf: (partition) => this.deliveryOf(partition),
    });
    this.session = session;
    let joined = false;
    try {
      await session.open();
      joined = session.assigned !== undefined;
      const reason = await Promise.race([session.crashed, this.asked]);
      if (reason) this.log(reason, joined ? 1 : failures);
    } catch (error) {
      this.log(error, failures);
    }
    await session.close();
    this.session = undefined;
    return joined;
  }

  private async pause(ms: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      timer.unref();
    });
    await Promise.race([waited, this.asked]);
    clearTimeout(timer);
  }

  /** An outage is one line, not one for each try. */
  private log(error: unknown, failures: number): void {
    const level = failures === 1 ? 'warn' : 'debug';
    this.options.logger[level]({ topic: this.topic, group: this.group, failures, error }, 'consumer.session-ended');
  }

  private deliveryOf(partition: number): PartitionDelivery {
    const known = this.deliveries.get(partition);
    if (known) return known;
    const { logger, counters, handle } = this.options;
    const made = new PartitionDelivery({ topic: this.options.topic.name, partition, handle, logger, counters });
    this.deliveries.set(partition, made);
    return made;
  }
}
