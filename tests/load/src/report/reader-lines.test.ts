import type { Finding } from '../harness/finding';
import { readerLines } from './reader-lines';
import type { Results } from './results-file';

const finding = (what: string, more: Partial<Finding> = {}): Finding => ({
  what,
  unit: '/s',
  ours: 5_456,
  against: 'nothing',
  judged: 0.5,
  judgedUnit: '×',
  target: { atLeast: 1 },
  ...more,
});
const resultsOf = (rows: Readonly<Record<string, readonly Finding[]>>): Results =>
  Object.fromEntries(
    Object.entries(rows).map(([id, findings]) => [
      id,
      { id, findings, notes: [], tookS: 1, at: '', machine: {} as never },
    ]),
  );

describe('what to expect', () => {
  it('answers from the rows that were run, and leaves the others out', () => {
    const lines = readerLines(resultsOf({ P1: [finding('durable accepted writes')] }), []);
    expect(lines.filter((line) => line.endsWith(' |') && !/^\| (question|---)/.test(line))).toEqual([
      '| How many writes a second does one gateway accept, each committed to Postgres before the reply? | 5,456 a second | P1 |',
    ]);
  });

  it('takes of a row the findings that the question is about', () => {
    const ms = (what: string, judged: number) => finding(what, { judged, judgedUnit: 'ms' });
    const row = [
      ms('synchronous write, one caller, p50 added', 9.1),
      // Of a ratio, what is added stands on our side.
      finding('synchronous write at 200/s, p50 added', { ours: 15.1, judged: 5.3 }),
      finding('synchronous write at 200/s, p99 added', { ours: 30, judged: 1.3 }),
      ms('search at 400/s, p50 added', 9.7),
      ms('search at 400/s, p99 added', 20),
      ms('search, 16 callers, p50 added', 41),
    ];
    const text = readerLines(resultsOf({ P9: row }), []).join('\n');
    expect(text).toContain(
      '| one caller 9.1 ms in the median; at 200/s 15.1 ms in the median, 30 ms at the 99th percentile | P9 |',
    );
    expect(text).toContain(
      '| at 400/s 9.7 ms in the median, 20 ms at the 99th percentile; 16 callers 41 ms in the median | P9 |',
    );
  });

  it('names no load where a row had one only', () => {
    const row = [finding('search, p50 added', { judged: 9.7, judgedUnit: 'ms' })];
    expect(readerLines(resultsOf({ P9: row }), []).join('\n')).toContain('| 9.7 ms in the median | P9 |');
  });

  it('says how many targets are missed', () => {
    const met = finding('a', { judged: 1 });
    const text = readerLines(resultsOf({ P1: [finding('b'), met], P14: [met] }), []).join('\n');
    expect(text).toContain('Of 3 targets 1 are missed');
  });

  it('adds up what the faults did, as it was and not as it should be', () => {
    const line = { row: 'F1', seed: 7, size: 1, accepted: 1_000, lost: 0, duplicates: 2 };
    const text = readerLines({}, [line, { ...line, row: 'F2', lost: 1 }]).join('\n');
    expect(text).toContain(
      'of 2,000 accepted writes of 2 runs: 1 lost, 4 written twice, 0 reported as written that were not',
    );
  });
});
