import { isDeepStrictEqual } from 'node:util';
import type { FailureClass } from '@sluice/errors';
import type { Fields } from '../requests';
import type { ProviderFailure, RecordResult } from '../results';
import { itemFailure } from './call-hubspot';
import { unanswered } from './failure-tables';
import {
  isOver,
  keptOtherwise,
  matchesSent,
  mergedWarning,
  sameValue,
  textsOf,
  toSuccess,
  type UniqueKey,
  uniqueKeyOf,
  type WireBatch,
  type WireError,
  type WireRecord,
} from './wire';

/**
 * Which result of a batch reply belongs to which input. Source: reference A3.
 * Invariants: one outcome per input, in input order; a result is given to one input at most; what cannot be matched
 * is never a success.
 */

interface MatchOptions {
  readonly objectName: string;
  /** Masked in error texts. */
  readonly token: string;
  /** Of creates: the unique property of each input. @default what is known without asking the account */
  readonly keys?: readonly (UniqueKey | undefined)[];
}

type Outcomes = (RecordResult | undefined)[];
type Slots = {
  readonly sent: readonly Fields[];
  readonly outcomes: Outcomes;
  readonly left: Set<WireRecord>;
  readonly batch: WireBatch;
};

/** The name by which an input is recognised in the reply. */
export function traceIdOf(index: number): string {
  return String(index);
}

/**
 * Creates: by the echoed trace id, by the trace id of an error, by the unique property, by what was sent, and the last one by what is left.
 * Never by order: HubSpot lists the results of a batch in any. What is left may have been created: `unknown`.
 * Source: reference A3; docs/providers/field-reports.md, H1.
 */
export function matchCreates(inputs: readonly Fields[], batch: WireBatch, options: MatchOptions): RecordResult[] {
  const slots = toSlots(inputs, batch);
  takeEchoes(slots);
  takeErrors(slots, (error) => tracesOf(error), 'create', options.token);
  const keys = options.keys ?? inputs.map((fields) => uniqueKeyOf(options.objectName, fields));
  takeByKey(
    slots,
    keys.map((key) => key && [key.name, key.value]),
  );
  takeSent(slots, inputs);
  takeLast(slots, (index, record) => {
    const key = keys[index];
    // A result that has another key than the input belongs to another input.
    return (
      key === undefined || record.properties[key.name] == null || sameValue(key.value, record.properties[key.name])
    );
  });
  return close(slots, unanswered.create.class, 'the reply does not show whether HubSpot created the record');
}

/** Updates: by the echoed trace id, by id, by the ids of an error. What is left was not processed: `rejected`. */
export function matchUpdates(
  inputs: readonly { readonly recordId: string; readonly fields: Fields }[],
  batch: WireBatch,
  options: MatchOptions,
): RecordResult[] {
  const sent = inputs.map(({ fields }) => fields);
  const slots = toSlots(sent, batch);
  const indexOf = new Map(inputs.map(({ recordId }, index) => [recordId, index]));
  takeEchoes(slots, (index, record) => mergedFrom(inputs[index]?.recordId, record.id));
  for (const record of slots.left) {
    const index = indexOf.get(record.id);
    if (index !== undefined) take(slots, index, record);
  }
  const namedBy = (error: WireError) => [
    ...tracesOf(error),
    ...textsOf(error.context['ids']).map((id) => indexOf.get(id) ?? -1),
  ];
  takeErrors(slots, namedBy, 'update', options.token);
  // A record that was merged away is returned under another id.
  takeSent(slots, sent, (index, record) => mergedFrom(inputs[index]?.recordId, record.id));
  return close(
    slots,
    (isOver(batch.status) ? unanswered.update : unanswered.pendingUpdate).class,
    'no result from provider',
  );
}

function toSlots(sent: readonly Fields[], batch: WireBatch): Slots {
  return { sent, outcomes: sent.map(() => undefined), left: new Set(batch.results), batch };
}

function take(slots: Slots, index: number, record: WireRecord, ...warnings: readonly string[]): void {
  if (!(index in slots.outcomes) || slots.outcomes[index] || !slots.left.delete(record)) return;
  slots.outcomes[index] = toSuccess(record, ...warnings, ...keptOtherwise(slots.sent[index] ?? {}, record.properties));
}

function takeEchoes(slots: Slots, warn: (index: number, record: WireRecord) => readonly string[] = () => []): void {
  for (const record of slots.left) {
    if (record.traceId === undefined) continue;
    const index = indexOfTrace(record.traceId);
    take(slots, index, record, ...warn(index, record));
  }
}

function takeErrors(
  slots: Slots,
  namedBy: (error: WireError) => readonly number[],
  write: 'create' | 'update',
  token: string,
): void {
  for (const error of slots.batch.errors) {
    for (const index of namedBy(error)) {
      const outcome = slots.outcomes[index];
      const failure = itemFailure(error, write, token);
      // A record in the results was written, whatever else went wrong with it.
      if (outcome?.ok) slots.outcomes[index] = { ...outcome, warnings: [...(outcome.warnings ?? []), failure.message] };
      else if (index in slots.outcomes) slots.outcomes[index] ??= { ok: false, error: failure };
    }
  }
}

/** One input and one result with the same value, and no second of either. */
function takeByKey(slots: Slots, keys: readonly (readonly [string, string] | undefined)[]): void {
  const open = keys.map((key, index) => ({ key, index })).filter(({ index }) => !slots.outcomes[index]);
  for (const { key, index } of open) {
    if (!key) continue;
    const [name, value] = key;
    const rivals = open.filter((other) => other.key?.[0] === name && other.key[1] === value);
    const records = [...slots.left].filter((record) => sameValue(record.properties[name], value));
    const [record] = records;
    if (rivals.length === 1 && records.length === 1 && record) take(slots, index, record);
  }
}

/** The one input and the one result that are left. */
function takeLast(slots: Slots, mayBe: (index: number, record: WireRecord) => boolean): void {
  const [index, ...others] = [...slots.outcomes.keys()].filter((at) => !slots.outcomes[at]);
  const [record, ...more] = slots.left;
  const isOne = others.length === 0 && more.length === 0;
  if (isOne && index !== undefined && record && mayBe(index, record)) take(slots, index, record);
}

/**
 * Results that carry what was sent, where no other input can have made them. Inputs that the same results match, as many as they are, sent
 * alike: whichever has which, the same is true of both.
 */
function takeSent(
  slots: Slots,
  sent: readonly Fields[],
  warn: (index: number, record: WireRecord) => readonly string[] = () => [],
): void {
  const open = [...slots.outcomes.keys()].filter((index) => !slots.outcomes[index]);
  const records = [...slots.left];
  const matched = new Map(
    open.map((index) => [index, records.filter(({ properties }) => matchesSent(sent[index] ?? {}, properties))]),
  );
  for (const [index, mine] of matched) {
    const rivals = open.filter((other) => matched.get(other)?.some((record) => mine.includes(record)));
    const isAlike = rivals.every((rival) => isDeepStrictEqual(matched.get(rival), mine));
    const record = mine[rivals.indexOf(index)];
    if (record && isAlike && mine.length === rivals.length) take(slots, index, record, ...warn(index, record));
  }
}

function close(slots: Slots, failureClass: FailureClass, message: string): RecordResult[] {
  const error: ProviderFailure = { class: failureClass, scope: 'record', message };
  return slots.outcomes.map((outcome) => outcome ?? { ok: false, error });
}

function mergedFrom(recordId: string | undefined, survivingId: string): readonly string[] {
  return recordId === undefined || recordId === survivingId ? [] : [mergedWarning(recordId, survivingId)];
}

function tracesOf(error: WireError): number[] {
  return textsOf(error.context['objectWriteTraceId']).map(indexOfTrace);
}

function indexOfTrace(traceId: string): number {
  return /^\d{1,3}$/.test(traceId) ? Number(traceId) : -1;
}
