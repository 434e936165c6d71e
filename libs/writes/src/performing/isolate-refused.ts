import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import { failAll } from './attempt';
import type { CallToPerform, Sendable } from './sendable';

/** The outcome of a call that was made, and what of it is to be sent apart. */
export interface Isolated {
  /** In the order of the records. What is sent apart has the refusal as its outcome so far. */
  readonly results: readonly RecordResult[];
  /** Record indexes of each call that goes on, in the order of the records. Empty: the results stand. */
  readonly parts: readonly (readonly number[])[];
}

/**
 * Divides a call that was refused as a whole for what may be a single record. Where the provider names fields, the records that carry
 * one are bad and the others go on together; else both halves go on. k bad ones of n cost at most 2k * ceil(log2 n) + 1 calls. Nothing of a
 * refused call was written, so no record is sent twice. A batch that is all or none is left as the provider decided. Pure.
 * Source: specification, batchPolicy: successful records are committed even if others fail.
 */
export function isolateRefused(
  request: Pick<CallToPerform, 'call' | 'connector'>,
  records: readonly Sendable[],
  results: readonly RecordResult[],
): Isolated {
  const failure = isAllOrNone(request) ? undefined : refusedForOne(results);
  if (failure === undefined || records.length < 2) return { results, parts: [] };
  const isNamed = carriesOneOf(failure.refusedFields ?? []);
  const others = records.filter((record) => !isNamed(record)).map(({ index }) => index);
  const bad = failAll([failure], { ...failure, scope: 'record' });
  return {
    results: records.flatMap((record) => (isNamed(record) ? bad : failAll([record], failure))),
    parts: others.length < records.length ? [others].filter(({ length }) => length > 0) : halvesOf(others),
  };
}

/** Whether the provider itself undoes what it wrote of this call when one record fails. */
export function isAllOrNone({ call, connector }: Pick<CallToPerform, 'call' | 'connector'>): boolean {
  return call.allOrNone && call.type !== 'delete' && connector.capabilities.allOrNone[call.type];
}

function refusedForOne(results: readonly RecordResult[]): ProviderFailure | undefined {
  const found = results.find((result) => !result.ok && result.error.mayBeOneRecord === true);
  return found?.ok === false ? found.error : undefined;
}

function carriesOneOf(fields: readonly string[]): (record: Sendable) => boolean {
  return ({ write }) => fields.some((field) => Object.hasOwn(write.fields, field));
}

function halvesOf(indexes: readonly number[]): (readonly number[])[] {
  const middle = Math.ceil(indexes.length / 2);
  return [indexes.slice(0, middle), indexes.slice(middle)];
}
