import { alternate } from '../harness/alternate';
import { pace, type Row } from '../harness/bench';
import { ratioFinding } from '../harness/finding';
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
      ];
      const [up, kafka, redis] = await alternate(sides, pace(bench).rounds, bench.say);
      const finding = (what: string, down: typeof kafka) =>
        ratioFinding({
          what: `durable accepted writes, ${what} down`,
          unit: '/s',
          ours: down?.median ?? NaN,
          against: 'both up',
          baseline: up?.median ?? NaN,
          target: { atLeast: 0.8 },
          rounds: { ours: down?.figures ?? [], baseline: up?.figures ?? [] },
        });
      await Promise.all([withoutKafka.kill('SIGKILL'), withoutRedis.kill('SIGKILL')]);
      const note = 'P14: down means that connections are refused; a gateway of its own for each case, on one database.';
      return { findings: [finding('Kafka', kafka), finding('Redis', redis)], notes: [note] };
    }),
};
