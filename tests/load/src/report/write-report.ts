import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@sluice/stack';
import type { Addresses } from '../harness/addresses';
import type { Row } from '../harness/bench';
import type { RowResult } from '../harness/finding';
import { readFaultLines } from './fault-lines';
import { describeMachine } from './machine';
import { renderReport } from './render-report';
import { readResults, writeResults } from './results-file';

/** The figures as data, committed beside the report that is made of them. */
const resultsFile = join(repositoryRoot, 'tests', 'load', 'results.json');
/** Written by `npm run test:faults -- --full`. */
const faultsFile = join(repositoryRoot, 'tests', 'faults', 'results.jsonl');

/** Puts the new figures of a row beside the last ones of the others, into tests/load/results.json and BENCHMARKS.md. */
export async function writeReport(rows: readonly Row[], fresh: RowResult, addresses: Addresses): Promise<void> {
  const machine = await describeMachine(addresses);
  writeResults(resultsFile, { ...readResults(resultsFile), [fresh.id]: { ...fresh, machine } });
  renderAgain(rows);
}

/** BENCHMARKS.md from what the two files hold. */
export function renderAgain(rows: readonly Row[]): void {
  const text = renderReport(rows, readResults(resultsFile), readFaultLines(faultsFile));
  writeFileSync(join(repositoryRoot, 'BENCHMARKS.md'), text);
}
