import type { RecordSettlement } from '@sluice/store';
import { createMetrics } from '@sluice/telemetry';
import { createWriteMeters } from './write-meters';

const failed = (failure: string, kind: 'failed' | 'unknown' = 'failed') =>
  ({ index: 0, kind, error: { class: failure, text: 'x' } }) as RecordSettlement;
const again: RecordSettlement = { index: 0, kind: 'again', sendState: 'none', error: { class: 'quota', text: 'x' } };

async function count(records: readonly RecordSettlement[], isRetried: boolean): Promise<string> {
  const metrics = createMetrics('executor');
  createWriteMeters(metrics, ['hubspot']).settled(records, { provider: 'hubspot', isRetried });
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
    for (const blockedMs of [1_500, 0, 1_000]) meters.blocked('hubspot', blockedMs);
    const { body } = await metrics.expose();
    expect(body).toContain('sluice_lane_blocked_seconds_total{provider="hubspot",service="executor"} 2.5');
  });
});
