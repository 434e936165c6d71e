import { alternate, type Rounds } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { comparedFinding } from '../harness/finding';
import { acceptLoad, ourRate } from './accept';

/** A port that nobody listens on: the discard service's, which no machine has. */
const nobody = '127.0.0.1:9';

export const p14: Row = {
  id: 'P14',
  goal: 'durable accepted writes/s with Kafka down and with Redis down, against both up',
  measure: (bench) =>
    bench.withSystem({ services: ['write-gateway'] }, async (system) => {
      const withoutKafka = await system.start('write-gateway', { KAFKA_BROKERS: nobody });
      const withoutRedis = await system.start('write-gateway', { REDIS_URL: `redis://${nobody}` });
      const sides = [
        ourRate(bench, 'both up', system),
        ourRate(bench, 'Kafka down', system, acceptLoad(system, withoutKafka.url)),
        ourRate(bench, 'Redis down', system, acceptLoad(system, withoutRedis.url)),
      ] as const;
      const [up, kafka, redis] = await alternate(sides, pace(bench).rounds, bench.say);
      const about = { unit: '/s', against: 'both up', target: { atLeast: 0.8 } };
      const finding = (what: string, down: Rounds) =>
        comparedFinding({ ...about, what: `durable accepted writes, ${what} down` }, down, up);
      await Promise.all([withoutKafka.kill('SIGKILL'), withoutRedis.kill('SIGKILL')]);
      const note = 'P14: down means that connections are refused; a gateway of its own for each case, on one database.';
      return { findings: [finding('Kafka', kafka), finding('Redis', redis)], notes: [note] };
    }),
};
