import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { RowResult } from '../harness/finding';
import type { Machine } from './machine';

/** The last figures of each row, with the machine they were measured on: a run of single rows leaves the others as they are. */
export type Results = Readonly<Record<string, RowResult & { readonly machine: Machine }>>;

export function readResults(file: string): Results {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Results) : {};
}

export function writeResults(file: string, results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
