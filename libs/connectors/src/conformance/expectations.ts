import assert from 'node:assert/strict';
import { ProviderError } from '@sluice/errors';
import type { RecordResult } from '../results';
import type { ConformanceCase } from './harness';

let seeds = 0;

/** Differs from every other one, also of another run on the same account. */
export function newSeed(): string {
  return `${process.pid}-${Date.now().toString(36)}-${++seeds}`;
}

export function toTest(name: string, run: () => Promise<void>): ConformanceCase {
  return { name, run };
}

export function idOf(result: RecordResult | undefined): string {
  assert.ok(result?.ok, JSON.stringify(result));
  return result.recordId;
}

export function classOf(result: RecordResult | undefined): string {
  assert.ok(result && !result.ok, JSON.stringify(result));
  return result.error.class;
}

export function hasClass(error: unknown, expected: string): boolean {
  return error instanceof ProviderError && error.class === expected;
}

/** Waits for a check to hold, at most `boundMs`. */
export async function within(boundMs: number, check: () => Promise<void>): Promise<void> {
  const until = Date.now() + boundMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
