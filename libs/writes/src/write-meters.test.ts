import type { ProviderFailure } from '@sluice/connectors';
import type { RecordSettlement } from '@sluice/store';
import { createMetrics } from '@sluice/telemetry';
import { createAcceptMeters, createWriteMeters } from './write-meters';

const failed = (failure: string, kind: 'failed' | 'unknown' = 'failed') =>
  ({ index: 0, kind, error: { class: failure, text: 'x' } }) as RecordSettlement;
const hubspot = { projectId: 'p', provider: 'hubspot' };
const again: RecordSettlement = { index: 0, kind: 'again', sendState: 'none', error: { class: 'quota', text: 'x' } };

async function count(records: readonly RecordSettlement[], isRetried: boolean): Promise<string> {
  const metrics = createMetrics('executor');
  createWriteMeters(metrics, ['hubspot']).settled(records, { projectId: 'p', provider: 'hubspot', isRetried });
  return (await metrics.expose()).body;
}

describe('what is counted of settled records', () => {
  it('counts them by provider, outcome and class', async () => {
    const body = await count([{ index: 0, kind: 'succeeded' }, failed('rejected'), again, again], true);
    for (const [series, n] of [
      ['outcome="succeeded",class="none"', 1],
      ['outcome="failed",class="rejected"', 1],
      ['outcome="again",class="quota"', 2],
    ] as const) {
      expect(body).toContain(`sluice_records_settled_total{provider="hubspot",${series},service="executor"} ${n}`);
    }
  });

  it.each([
    ['a deadline that has passed', failed('deadline'), 1],
    ['one that may have been written', failed('deadline', 'unknown'), 1],
    ['a failure with no time for another try', failed('unavailable'), 1],
    ['an update of unknown outcome with no time left', failed('timeout', 'unknown'), 1],
    ['a refusal for good', failed('rejected'), 0],
    ['refused credentials', failed('credentials'), 0],
    ['a cancel', failed('cancelled'), 0],
    ['another try to come', again, 0],
  ])('%s: misses %#', async (_case, record, misses) => {
    expect(await count([record], true)).toContain(
      `sluice_deadline_misses_total{provider="hubspot",service="executor"} ${misses}`,
    );
  });

  it('is no miss where nothing is tried again', async () => {
    expect(await count([failed('unavailable')], false)).toContain(
      'sluice_deadline_misses_total{provider="hubspot",service="executor"} 0',
    );
  });

  it('sums up blocks in seconds', async () => {
    const metrics = createMetrics('executor');
    const meters = createWriteMeters(metrics, []);
    for (const blockedMs of [1_500, 0, 1_000]) meters.called(hubspot, { results: [], calls: 1, blockedMs });
    const { body } = await metrics.expose();
    expect(body).toContain('sluice_lane_blocked_seconds_total{provider="hubspot",service="executor"} 2.5');
  });
});

// What a project sees in the console is its own, whoever shares the process.
describe('what is counted by project', () => {
  it('has what was accepted, settled and called, and nothing of another project', () => {
    const metrics = createMetrics('executor');
    const meters = createWriteMeters(metrics, []);
    const accepting = createAcceptMeters(metrics);
    accepting.accepted({ mode: 'asynchronous', projectId: 'p', provider: 'hubspot', records: 3, durationMs: 4 });
    accepting.accepted({ mode: 'asynchronous', projectId: 'q', provider: 'hubspot', records: 7, durationMs: 4 });
    meters.settled([{ index: 0, kind: 'succeeded' }, failed('rejected'), failed('timeout', 'unknown'), again], {
      ...hubspot,
      isRetried: true,
    });
    const refused = (scope: ProviderFailure['scope']) =>
      ({ ok: false, error: { class: 'quota', message: 'x', scope } }) as const;
    const attempt = { durationMs: 200 };
    meters.called(hubspot, { results: [{ ok: true }, refused('lane')], calls: 1, attempt, blockedMs: 500 });
    meters.called(hubspot, { results: [refused('record')], calls: 1, attempt, blockedMs: 0 });
    meters.called(hubspot, { results: [refused('lane')], calls: 0, blockedMs: 500 });
    const figures = metrics.byProject.take();
    expect(figures.map(({ projectId, counts }) => [projectId, counts.accepted])).toEqual([
      ['p', 3],
      ['q', 7],
    ]);
    expect(figures[0]?.counts).toEqual({
      accepted: 3,
      written: 1,
      failed: 1,
      unknown: 1,
      retried: 1,
      providerErrors: 1,
      blocks: 1,
      blockedMs: 500,
    });
    expect(figures[0]?.timings).toEqual({
      accept: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
      providerCall: [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0],
    });
    expect(metrics.byProject.take()).toEqual([]);
  });
});
