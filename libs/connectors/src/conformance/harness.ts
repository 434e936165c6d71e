import assert from 'node:assert/strict';
import type { Association } from '@sluice/types';
import { ProviderError } from '@sluice/errors';
import type { Connector } from '../connector';
import type { Auth, Fields, TokenRefresh } from '../requests';
import type { RecordResult } from '../results';

/** What happens to a call that reaches the provider. */
export type Fault = 'commit-then-reset' | 'reset-before-commit' | 'quota' | 'unavailable' | 'redirect' | 'unreadable';

/** Which call a fault meets: the next create, or the next call whatever it is. @default 'create' */
type FaultyCall = 'create' | 'any';

/** An object that the suite writes, and the fields of its records. */
export interface WrittenObject {
  readonly objectName: string;
  /** Fields of a record that differs from every other seed's and that the provider can find again. */
  readonly fields: (seed: string) => Fields;
  /** A field of `fields` that no two seeds share and that a search finds by equality. */
  readonly markField: string;
  /** A field of `fields` that the provider keeps unique, and finds at once. Absent: it has none, or `fields` does not set it. */
  readonly uniqueField?: string;
}

/** What the suite writes at a provider. */
export interface ProviderFixture extends WrittenObject {
  /** A text field of `fields` that can be changed. */
  readonly textField: string;
  /** A well-formed id of no record. */
  readonly absentId: string;
  /** Values for which a record is refused; needed where there is no unique field. */
  readonly invalid?: Fields;
  /** A lookup of creates sees every committed record at once. @default whether there is a unique field */
  readonly isConsistent?: boolean;
  /** Fields are listed by our own file, so no request is sent and nothing can be refused. @default false */
  readonly describesFromFile?: boolean;
  /** A create can be sent again without a second record: `isResend` makes an upsert of it. @default false */
  readonly isResendSafe?: boolean;
}

/** What the suite needs of a provider, real or imitated. */
export interface ConnectorHarness extends ProviderFixture {
  readonly connector: Connector;
  readonly auth: Auth;
  /** Credentials that the provider refuses. */
  readonly badAuth: Auth;
  /** Ground truth: how many records the provider holds that carry all these values. */
  readonly count: (fields: Fields) => Promise<number>;
  /** How long a write may take to be counted or linked, in milliseconds. @default 0 */
  readonly visibleWithinMs?: number;
  /** Absent: the provider cannot be made to fail, and is not tried with what nobody sends by mistake. */
  readonly fault?: (fault: Fault, of?: FaultyCall) => Promise<void>;
  /** Absent: the provider has no associations, or nothing shows whether one was made. */
  readonly linked?: LinkedObject;
  /** Absent: tokens are not refreshed here. Each call makes a grant of its own account. */
  readonly grants?: Readonly<Record<'good' | 'revoked' | 'refusedApp', () => Promise<Grant>>>;
}

/** Another object, whose records those of the harness can be linked to. */
export interface LinkedObject extends Pick<WrittenObject, 'objectName' | 'fields'> {
  /** An association of a record of the harness's object to the one with this id. */
  readonly association: (id: string) => Association;
  /** Ground truth, by the provider's ids. */
  readonly isLinked: (recordId: string, targetId: string) => Promise<boolean>;
}

/** A refresh token, with the credentials that it replaces. */
export interface Grant {
  readonly refresh: TokenRefresh;
  readonly auth: Auth;
}

/** One case, for any test runner: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}

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

/** The provider holds so many records that carry these values, once its index has them. */
export async function assertCount(harness: ConnectorHarness, fields: Fields, expected: number): Promise<void> {
  const { count, visibleWithinMs = 0 } = harness;
  await within(visibleWithinMs, async () => assert.equal(await count(fields), expected, 'records with these values'));
}

/** Waits for a check to hold, at most `boundMs`. What is no assertion ends it at once. */
export async function within(boundMs: number, check: () => Promise<void>): Promise<void> {
  const until = Date.now() + boundMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 1_000)) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof assert.AssertionError) || Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
