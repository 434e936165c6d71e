import { silentLogger } from '@sluice/telemetry';
import { failure } from '../../test/builders';
import { createOutcomeWatch } from './note-outcome';

function start() {
  const lines: Record<string, unknown>[] = [];
  const logger = { ...silentLogger, warn: (fields: object, event: string) => void lines.push({ event, ...fields }) };
  const watch = createOutcomeWatch(logger);
  const account = (groupRef: string, laneId = `lane of ${groupRef}`) => ({
    projectId: 'p1',
    laneId,
    used: { provider: 'hubspot', groupRef },
  });
  const call = (groupRef: string, error?: ReturnType<typeof failure>) =>
    watch.called(account(groupRef), [error === undefined ? { ok: true } : { ok: false, error }]);
  return { lines, watch, account, call };
}

const times = (count: number, work: () => void) => Array.from({ length: count }).forEach(work);
const reset = failure({ class: 'unavailable', message: 'HubSpot sent no reply: ECONNRESET', scope: 'call' });
const overloaded = failure({ class: 'unavailable', message: "Ada's record: later", scope: 'call', status: 503 });
const rejected = failure({ class: 'rejected', message: "Ada's phone is no phone", status: 400 });

it('a provider that does not answer is one line when it begins and one when it ends, whatever the customer', () => {
  const { lines, call } = start();
  for (let n = 0; n < 500; n += 1) call(`group-${n}`, n % 2 === 0 ? reset : overloaded);
  const provider = () => lines.filter(({ event }) => String(event).startsWith('provider.'));
  expect(provider()).toEqual([
    expect.objectContaining({
      event: 'provider.failing',
      provider: 'hubspot',
      reason: 'sent no reply: ECONNRESET',
      class: 'unavailable',
      groupRef: 'group-4',
      count: 5,
    }),
  ]);
  times(40, () => call('group-1'));
  expect(provider()).toHaveLength(2);
  expect(provider()[1]).toMatchObject({ event: 'provider.recovered', reason: 'answered 503', status: 503, count: 500 });
});

it('a customer whose calls all fail is one line when it begins and one when it ends', () => {
  const { lines, call } = start();
  times(300, () => {
    call('acme', rejected);
    call('beta');
  });
  times(25, () => call('acme'));
  const fields = { projectId: 'p1', groupRef: 'acme', provider: 'hubspot', reason: 'answered 400', status: 400 };
  expect(lines).toMatchObject([
    { event: 'group.failing', ...fields, class: 'rejected', count: 5 },
    { event: 'group.recovered', ...fields, count: 300 },
  ]);
});

// What a provider says of a record may quote whoever is in it.
it('no line holds the words of a provider', () => {
  const { lines, call } = start();
  times(5, () => call('acme', rejected));
  times(5, () => call('beta', overloaded));
  expect(lines.length).toBeGreaterThan(1);
  expect(JSON.stringify(lines)).not.toContain('Ada');
});

it('a call of which a record is written is none that failed', () => {
  const { lines, watch, account } = start();
  times(50, () => watch.called(account('acme'), [{ ok: false, error: rejected }, { ok: true }]));
  times(50, () => watch.called(account('acme'), []));
  expect(lines).toEqual([]);
});

describe('a blocked account', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('is one line when it is blocked and one when it is free, however often it is refused meanwhile', () => {
    const { lines, watch, account } = start();
    const error = failure({ class: 'quota', scope: 'lane', message: 'too fast', status: 429 });
    for (let n = 0; n < 20; n += 1) {
      watch.blocked(account('acme', 'l1'), error, 10_000);
      jest.advanceTimersByTime(20_000);
    }
    const fields = { projectId: 'p1', groupRef: 'acme', provider: 'hubspot', laneId: 'l1', reason: 'answered 429' };
    expect(lines).toEqual([
      expect.objectContaining({ event: 'lane.blocked', ...fields, status: 429, blockedSeconds: 10, count: 1 }),
    ]);
    jest.advanceTimersByTime(80_000);
    expect(lines.slice(1)).toEqual([expect.objectContaining({ event: 'lane.unblocked', ...fields, count: 20 })]);
  });
});
