import { watchHealth, type Fault } from './health';
import { silentLogger } from './logger';
import { createMetrics } from './metrics';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const refused: Fault = { reason: 'takes no writes', remedy: 'Lead to the primary.' };

/** Dependencies whose faults a test sets. */
function watched() {
  const faults: Partial<Record<'postgres' | 'redis' | 'kafka', Fault | 'never' | Error>> = {};
  const asked = { postgres: 0, redis: 0, kafka: 0 };
  const lines: [string, string, object][] = [];
  const say = (level: string) => (fields: object, event: string) => void lines.push([level, event, fields]);
  const use = (name: keyof typeof asked) => async (): Promise<Fault | undefined> => {
    asked[name] += 1;
    const fault = faults[name];
    if (fault === 'never') return new Promise(() => undefined);
    if (fault instanceof Error) throw fault;
    return fault;
  };
  const metrics = createMetrics('health');
  const watch = watchHealth({
    checks: { postgres: use('postgres'), redis: use('redis'), kafka: use('kafka') },
    logger: { ...silentLogger, warn: say('warn'), info: say('info') },
    metrics,
  });
  const shown = async (dependency: string) =>
    new RegExp(`^sluice_dependency_up\\{[^}]*dependency="${dependency}"[^}]*\\} (\\d)$`, 'm').exec(
      (await metrics.expose()).body,
    )?.[1];
  return { faults, asked, lines, watch, shown };
}

it('is not ready before Postgres was used, and asks nobody when it answers', async () => {
  const { watch, asked } = watched();
  expect(watch.ready()).toMatchObject({ ready: false, checks: { postgres: 'is not checked yet' } });
  const end = await watch.start();
  for (let times = 0; times < 20; times += 1) watch.ready();
  expect(asked).toEqual({ postgres: 1, redis: 1, kafka: 1 });
  await jest.advanceTimersByTimeAsync(30_500);
  expect(asked.kafka).toBe(4);
  await end();
});

it('stays ready without the others, says so once with the remedy, and that they are back', async () => {
  const { watch, faults, lines, shown } = watched();
  faults.redis = refused;
  const end = await watch.start();
  await jest.advanceTimersByTimeAsync(60_000);
  expect(watch.ready()).toEqual({
    ready: true,
    checks: { postgres: 'ok', redis: 'takes no writes', kafka: 'ok' },
    degraded: ['redis'],
  });
  expect(lines).toEqual([['warn', 'dependency.degraded', { dependency: 'redis', ...refused }]]);
  expect([await shown('redis'), await shown('kafka')]).toEqual(['0', '1']);
  delete faults.redis;
  await jest.advanceTimersByTimeAsync(11_000);
  expect(watch.ready()).toMatchObject({ degraded: [] });
  expect(lines.at(-1)).toEqual(['info', 'dependency.recovered', { dependency: 'redis' }]);
  expect(await shown('redis')).toBe('1');
  await end();
});

it('is not ready while Postgres takes no writes, and again within two seconds', async () => {
  const { watch, faults } = watched();
  const end = await watch.start();
  faults.postgres = refused;
  await jest.advanceTimersByTimeAsync(11_000);
  expect(watch.ready()).toMatchObject({ ready: false, checks: { postgres: 'takes no writes' }, degraded: [] });
  delete faults.postgres;
  await jest.advanceTimersByTimeAsync(2_000);
  expect(watch.ready()).toMatchObject({ ready: true });
  await end();
});

it.each<[string, 'never' | Error, string]>([
  ['never ends', 'never', 'did not answer in time'],
  ['fails', new Error('boom'), 'could not be checked'],
])('a check that %s is a fault', async (_, fault, text) => {
  const { watch, faults } = watched();
  faults.kafka = fault;
  const end = await watch.start();
  await jest.advanceTimersByTimeAsync(9_000);
  expect(watch.ready().checks['kafka']).toBe(text);
  await end();
});
