import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { faultFindings, readFaultLines } from './fault-lines';

function fileOf(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'sluice-fault-lines-')), 'results.jsonl');
  writeFileSync(file, text);
  return file;
}

it('has no line where nothing was run', () => {
  expect(readFaultLines('/nowhere/results.jsonl')).toEqual([]);
});

it('keeps the last line of each row, by the number in its name', () => {
  const lines = [
    { row: 'F10', seed: 1, size: 'full', accepted: 1 },
    { row: 'F3', seed: 1, size: 'full', accepted: 2 },
    { row: 'F3', seed: 2, size: 'full', accepted: 3 },
  ];
  const read = readFaultLines(fileOf(lines.map((line) => `${JSON.stringify(line)}\n`).join('')));
  expect(read.map(({ row, seed }) => [row, seed])).toEqual([
    ['F3', 2],
    ['F10', 1],
  ]);
});

// A half-written file must not become a table that leaves a row out.
it('fails on a line that is no JSON', () => {
  expect(() => readFaultLines(fileOf('{"row":"F1"}\n{"row":'))).toThrow(SyntaxError);
});

it('shows further findings of a row beside its columns', () => {
  const clean = { row: 'F1', seed: 1, size: 'full', accepted: 1, broken: [], slow: [] };
  const late = { row: 'F4', seed: 1, size: 'full', accepted: 1, slow: ['resumedMs: 12050, wanted 10000'] };
  const refused = {
    row: 'F7',
    seed: 1,
    size: 'full',
    accepted: 1,
    broken: ['3 replies of 429 while the broker was down'],
  };
  expect(faultFindings([clean])).toEqual([]);
  expect(faultFindings([clean, late, refused]).slice(-2)).toEqual([
    '- F4: resumedMs: 12050, wanted 10000.',
    '- F7: 3 replies of 429 while the broker was down.',
  ]);
});
