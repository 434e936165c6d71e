import { allRead, type ProviderRecord } from '@sluice/connectors';
import { expect, NotTried } from './finding';
import { callOf, type Clock, type MarkedRecord, type Trial } from './trial';

/** Between two lookups of something that lags, in milliseconds. [own] */
const everyMs = 1_000;

export interface Pace {
  /** How long lookups are repeated, roughly, in milliseconds. */
  readonly boundMs: number;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
}

/**
 * Repeats a lookup until it holds, at least twice. Lookups are counted rather than timed, so that a replay makes as many.
 * @returns whether it came to hold
 */
export async function poll(check: () => Promise<boolean>, { boundMs, clock, signal }: Pace): Promise<boolean> {
  const lookupsMax = Math.max(2, Math.ceil(boundMs / everyMs) + 1);
  for (let lookups = 1; ; lookups += 1) {
    if (await check()) return true;
    if (lookups >= lookupsMax) return false;
    await clock.wait(everyMs, signal);
  }
}

/** The records that a search finds by a mark. @param fields what is to be shown of them @default the field of the mark */
export async function find(trial: Trial, mark: string, fields?: readonly string[]): Promise<ProviderRecord[]> {
  const { markField, fields: fieldsOf } = trial.subject;
  const value = String(fieldsOf(mark)[markField]);
  const filters = [{ field: markField, value }];
  const asked = { ...callOf(trial), filters, fields: [...(fields ?? [markField])], limit: 10 };
  const found = await trial.connector.search?.(asked);
  // Where search is fuzzy, what carries another mark is not ours.
  return (found ?? []).filter((record) => record.fields[markField] === value);
}

/** How long the index may lag behind a write, in milliseconds; ten seconds more for the provider's clock. */
export function visibleWithinMs({ connector, subject, run }: Trial): number {
  const lagMs = connector.visibilityMs(subject.objectName, { [subject.markField]: run });
  return lagMs + 10_000;
}

type Stored = Readonly<Record<string, unknown>>;

/** Whether the provider shows a record that was written: by its id, or by a search for its mark. */
export function canReadBack({ readBatch, search }: Trial['connector']): boolean {
  return readBatch !== undefined || search !== undefined;
}

/**
 * The fields of a record as the provider holds them.
 * @param expected values that a search shows only once its index has caught up with the write
 * @throws NotTried when it was never made, or when a search does not show these fields; Differs when it is not there
 */
export async function readBack(
  trial: Trial,
  record: MarkedRecord | undefined,
  expected: Stored = record?.fields ?? {},
): Promise<Stored> {
  if (record?.id === undefined) throw new NotTried('there is no record: its create failed');
  const { id } = record;
  const stored = trial.connector.readBatch ? await byId(trial, id, record) : await bySearch(trial, record, expected);
  expect(stored !== undefined, `the record ${id} is not there`);
  if (trial.connector.readBatch) return stored;
  const hidden = Object.keys(expected).filter((name) => stored[name] === undefined);
  if (hidden.length > 0) throw new NotTried(`accepted, not read back: a search does not show ${hidden.join(', ')}`);
  return stored;
}

async function byId(trial: Trial, id: string, { fields }: MarkedRecord): Promise<Stored | undefined> {
  const read = await trial.connector.readBatch?.({ ...callOf(trial), ids: [id], fields: Object.keys(fields) });
  return allRead(read ?? [])[0]?.fields;
}

async function bySearch(trial: Trial, record: MarkedRecord, expected: Stored): Promise<Stored | undefined> {
  let stored: Stored | undefined;
  const isUpToDate = async (): Promise<boolean> => {
    const found = await find(trial, record.mark, Object.keys(record.fields));
    stored = found.find(({ id }) => id === record.id)?.fields;
    const shown = stored;
    if (shown === undefined) return false;
    return Object.entries(expected).every(([name, value]) => shown[name] === undefined || isSame(shown[name], value));
  };
  await poll(isUpToDate, { ...trial, boundMs: visibleWithinMs(trial) });
  return stored;
}

/** Emails come back in lower case. */
export function isSame(stored: unknown, sent: unknown): boolean {
  return String(stored).toLowerCase() === String(sent).toLowerCase();
}
