import type { Logger } from '@sluice/telemetry';
import type { ConsumeOptions } from '../messaging';
import type { MessagingCounters } from '../messaging-counters';
import type { DeliveryOf, Member } from '../pipeline';
import { backoffMs, within } from '../waiting';
import type { Progress } from '../watchdog';
import type { BrokerAdmin } from './broker-admin';
import { ConsumerSession } from './consumer-session';
import type { NewKafka } from './kafka-client';
import { faultOf } from './refusals';

interface RunnerOptions extends ConsumeOptions {
  readonly newKafka: NewKafka;
  readonly admin: BrokerAdmin;
  readonly logger: Logger;
  readonly counters: MessagingCounters;
  readonly prefix: string;
  readonly deliveryOf: DeliveryOf;
}

const rejoin = { baseMs: 250, capMs: 3_000 };

/**
 * Keeps one member in its group: opens a session, and after its end, whatever the reason, the next one. So a broker that is away at the start or
 * later only causes a delay. The same holds for a crash that kafkajs does not recover from (github.com/tulios/kafkajs/issues/1445, 1513).
 */
export class ConsumerRunner implements Member {
  private readonly topic: string;
  private readonly group: string;
  private readonly life: Promise<void>;
  private session: ConsumerSession | undefined;
  private isLeaving = false;
  private readonly leaving = Promise.withResolvers<void>();

  constructor(private readonly options: RunnerOptions) {
    this.topic = `${options.prefix}${options.topic.name}`;
    this.group = `${options.prefix}${options.group}`;
    this.life = this.live();
  }

  get isJoined(): boolean {
    return this.session?.assigned !== undefined;
  }

  /** Of its own partitions once it has joined, before that of all: another member may be reading them. */
  async progress(): Promise<Progress[]> {
    const lags = await this.options.admin.lags(this.topic, this.group);
    const assigned = this.session?.assigned;
    return lags
      .filter(({ partition }) => assigned?.includes(partition) ?? true)
      .map(({ partition, committed, lag }) => ({
        partition,
        lag,
        mark: `${committed}:${this.options.deliveryOf(partition).ended}`,
      }));
  }

  leave(): Promise<void> {
    this.isLeaving = true;
    this.leaving.resolve();
    return this.life;
  }

  private async live(): Promise<void> {
    for (let failures = 1; !this.isLeaving; failures += 1) {
      const joined = await this.oneSession(failures);
      if (joined) failures = 1;
      if (this.isLeaving) return;
      this.options.counters.restarted.inc({ topic: this.options.topic.name });
      await within(backoffMs(rejoin, failures), this.leaving.promise);
    }
  }

  /** @returns whether it joined */
  private async oneSession(failures: number): Promise<boolean> {
    const session = new ConsumerSession({
      kafka: this.options.newKafka(),
      logger: this.options.logger,
      topic: this.topic,
      group: this.group,
      partitions: this.options.topic.partitions,
      deliveryOf: this.options.deliveryOf,
    });
    this.session = session;
    let joined = false;
    try {
      await session.open();
      joined = session.assigned !== undefined;
      const reason = await Promise.race([session.crashed, this.leaving.promise]);
      if (reason) this.log(reason, joined ? 1 : failures);
    } catch (error) {
      this.log(error, failures);
    }
    await session.close();
    this.session = undefined;
    return joined;
  }

  /** An outage is one line, not one for each try. */
  private log(error: unknown, failures: number): void {
    const level = failures === 1 ? 'warn' : 'debug';
    const named = { topic: this.topic, group: this.group, failures, ...faultOf(error), error };
    this.options.logger[level](named, 'consumer.session-ended');
  }
}
