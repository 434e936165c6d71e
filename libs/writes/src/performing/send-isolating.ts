import type { ProviderFailure, RecordResult } from '@sluice/connectors';
import { failAll, type Attempt } from './attempt';
import type { Sendable } from './sendable';

/** Outcomes by index of the record. */
export type Outcomes = Map<number, RecordResult>;

/**
 * Sends records in one call; when it is refused as a whole for what may be a single record, finds the bad ones: by the fields that the
 * provider names, else by sending the halves, and so on until they stand alone. k bad ones of n cost at most 2k * ceil(log2 n) + 1 calls.
 * Nothing of a refused call was written, so no record is sent twice. A batch that is all or none is left as the provider decided.
 * Source: specification, batchPolicy: successful records are committed even if others fail.
 */
export async function sendIsolating(attempt: Attempt, records: readonly Sendable[]): Promise<Outcomes> {
  const results = await attempt.write(records);
  const failure = refusedForOne(attempt, records, results);
  if (failure === undefined) return toOutcomes(records, results);
  const [named, others] = partition(records, failure.refusedFields ?? []);
  if (named.length > 0) {
    const refused = toOutcomes(named, failAll(named, { ...failure, scope: 'record' }));
    return others.length === 0 ? refused : new Map([...refused, ...(await sendIsolating(attempt, others))]);
  }
  const middle = Math.ceil(records.length / 2);
  const first = await sendIsolating(attempt, records.slice(0, middle));
  const rest = records.slice(middle);
  const end = [...first.values()].find((result) => !result.ok && endsSending(result.error));
  if (end?.ok === false) return new Map([...first, ...toOutcomes(rest, failAll(rest, end.error))]);
  return new Map([...first, ...(await sendIsolating(attempt, rest))]);
}

function refusedForOne(
  { request: { call, connector } }: Attempt,
  records: readonly Sendable[],
  results: readonly RecordResult[],
): ProviderFailure | undefined {
  const { allOrNone } = connector.capabilities;
  const isWhole = call.allOrNone && call.type !== 'delete' && allOrNone[call.type];
  if (isWhole || records.length < 2) return undefined;
  const found = results.find((result) => !result.ok && result.error.mayBeOneRecord === true);
  return found?.ok === false ? found.error : undefined;
}

/** Those that carry one of the fields, and the others. */
function partition(records: readonly Sendable[], fields: readonly string[]): [Sendable[], Sendable[]] {
  const carries = ({ write }: Sendable) => fields.some((field) => Object.hasOwn(write.fields, field));
  return [records.filter(carries), records.filter((record) => !carries(record))];
}

/** What will meet every further call as well. */
function endsSending({ class: failureClass, scope }: ProviderFailure): boolean {
  return scope === 'lane' || failureClass === 'credentials';
}

function toOutcomes(records: readonly Sendable[], results: readonly RecordResult[]): Outcomes {
  return new Map(records.map(({ index }, at) => [index, results[at] as RecordResult]));
}
