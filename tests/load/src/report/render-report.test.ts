import type { Finding } from '../harness/finding';
import type { Machine } from './machine';
import { renderReport } from './render-report';
import type { Results } from './results-file';

const machine: Machine = {
  cores: 2,
  cpu: 'Some CPU',
  memoryGigabytes: 24,
  node: 'v24.21.0',
  postgres: '18.4',
  durability: 'fsync on, synchronous_commit on',
  redis: '7.0.15, AOF off',
  kafka: '1 broker',
  packages: 'express 5.3.0',
};
const rows = [
  { id: 'P1', goal: 'first goal' },
  { id: 'P2', goal: 'second goal' },
];
const finding: Finding = {
  what: 'accepted writes',
  unit: '/s',
  ours: 15_000,
  against: 'nothing',
  baseline: 10_000,
  judged: 1.5,
  judgedUnit: '×',
  target: { atLeast: 1 },
  rounds: { ours: [14_000, 15_000, 16_000], baseline: [9_000, 10_000, 11_000] },
};
const resultsOf = (findings: Finding[], more: Partial<Results[string]> = {}): Results => ({
  P1: { id: 'P1', findings, notes: ['P1: a condition.'], tookS: 1, at: '2026-11-21T18:00:00.000Z', machine, ...more },
});

describe('BENCHMARKS.md', () => {
  it('shows figures, ratio, target and every round of a row', () => {
    const text = renderReport(rows, resultsOf([finding]), []);
    expect(text).toContain('| P1 | accepted writes | 15,000 /s | 10,000 /s | nothing | **1.5×** | ≥ 1× | met |');
    expect(text).toContain('- P1, accepted writes: ours 14,000, 15,000, 16,000; nothing: 9,000, 10,000, 11,000.');
    expect(text).toContain('- P1: a condition.');
    expect(text).not.toContain('Missed:');
  });

  it('names the machine and the day', () => {
    const text = renderReport(rows, resultsOf([finding]), []);
    expect(text).toContain('- 2026-11-21, 2 cores (Some CPU), 24 GB, Node v24.21.0, Postgres 18.4 (fsync on,');
  });

  it('says which row was not run', () => {
    expect(renderReport(rows, resultsOf([finding]), [])).toContain('| P2 | second goal | | | | not run | | |');
  });

  it('states a miss twice: in the table and in a list', () => {
    const text = renderReport(rows, resultsOf([{ ...finding, judged: 0.99 }]), []);
    expect(text).toContain('| **0.99×** | ≥ 1× | **missed** |');
    expect(text).toContain('- P1, accepted writes: 0.99× where ≥ 1× was the target.');
  });

  it('says what the least reaches that keeps the promise, where a target with a floor is missed', () => {
    const text = renderReport(rows, resultsOf([{ ...finding, judged: 0.99, floor: '1.41×, a lean Express' }]), []);
    expect(text).toContain(
      'where ≥ 1× was the target; the least that keeps the promise reaches 1.41×, a lean Express.',
    );
  });

  it('shows a figure without a target, and judges it not', () => {
    const { target: _, ...shown } = finding;
    const text = renderReport(rows, resultsOf([shown]), []);
    expect(text).toContain('| P1 | accepted writes | 15,000 /s | 10,000 /s | nothing | **1.5×** |  |  |');
    expect(text).not.toContain('Missed:');
  });

  it('leaves the cell of a baseline that does not exist empty', () => {
    const { baseline: _, rounds: __, ...alone } = finding;
    const memory = { ...alone, unit: 'MB', judgedUnit: 'MB', ours: 150, judged: 150, target: { atMost: 200 } };
    expect(renderReport(rows, resultsOf([memory]), [])).toContain(
      '| 150 MB |  | nothing | **150 MB** | ≤ 200 MB | met |',
    );
  });

  it('keeps figures of two machines apart', () => {
    const results = { ...resultsOf([finding]) };
    const other = { ...results['P1'], id: 'P2', machine: { ...machine, cores: 8 } } as Results[string];
    const text = renderReport(rows, { ...results, P2: other }, []);
    expect(text).toContain('- P1: 2026-11-21, 2 cores');
    expect(text).toContain('- P2: 2026-11-21, 8 cores');
  });

  it('shows the fault rows, or that none was run', () => {
    expect(renderReport(rows, {}, [])).toContain('No row was run at full size yet');
    const line = { row: 'F3', seed: 7, size: 'full', day: '2026-11-23', accepted: 20_000, lost: 0, bound: '3/20000' };
    expect(renderReport(rows, {}, [line])).toContain(
      '| F3 | full | 7 | 2026-11-23 | 20,000 |  | 0 |  |  |  |  |  |  |  | 3/20000 |',
    );
  });
});
