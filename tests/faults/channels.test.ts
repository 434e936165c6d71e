import { check, report } from './harness/checker';
import { send } from './harness/load';
import { startSystem } from '../harness/system';

/** A port that nobody listens on: a broker that is stopped. */
const deadBroker = '127.0.0.1:9';

interface Channel {
  readonly name: string;
  readonly env: Readonly<Record<string, string>>;
  readonly source: string;
  readonly silent: string;
}

const channels: Channel[] = [
  {
    name: 'Kafka alone, sweeps off',
    env: { SLUICE_SWEEPS: 'off' },
    source: 'message',
    silent: 'sweep',
  },
  {
    name: 'the sweeps alone, Kafka stopped',
    env: { KAFKA_BROKERS: deadBroker },
    source: 'sweep',
    silent: 'message',
  },
];

// Kafka carries the work and the sweeps find what it does not: each must be enough without the other.
test.each(channels)(
  '1,000 writes finish through $name',
  async ({ name, env, source, silent }) => {
    const system = await startSystem({ env, latencyMs: 0 });
    try {
      const sent = await send(system, { count: 1_000, run: `channel-${source}-${Date.now()}`, concurrency: 16 });
      const verdict = await check(system, sent);
      report(name, verdict);
      expect(verdict).toMatchObject({
        accepted: 1_000,
        unknown: 0,
        lost: 0,
        duplicates: 0,
        nonTerminal: 0,
        falseFailure: 0,
      });
      const metrics = await (await fetch(`${system.processes.url('executor')}/metrics`)).text();
      const claims = (label: string): number =>
        Number(new RegExp(`sluice_claims_total\\{[^}]*source="${label}"[^}]*\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
      expect(claims(source)).toBeGreaterThan(0);
      expect(claims(silent)).toBe(0);
    } finally {
      await system.stop();
    }
  },
  180_000,
);
