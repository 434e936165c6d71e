import type { ExportedCall, ExportedRecord, OperationExport } from '@sluice/types';

/** Reads what `sluice op export` wrote. @throws Error one sentence: what is wrong, and where */
export function readExport(text: string): OperationExport {
  const read = parse(text);
  const { format, operationId, provider, type, calls, records } = read;
  if (format !== 'sluice-operation-1')
    throw wrong(`format is ${JSON.stringify(format)} and must be "sluice-operation-1"`);
  if (typeof operationId !== 'string' || typeof provider !== 'string')
    throw wrong('operationId or provider is missing');
  if (!['create', 'update', 'delete'].includes(type as string)) throw wrong('type must be create, update or delete');
  if (!isList(records, isRecord)) throw wrong('records must be a list, each with index, status and sendState');
  if (!isList(calls, isCall)) throw wrong('calls must be a list, each with number and attempts');
  const known = new Set(records.map(({ index }) => index));
  const orphans = calls
    .flatMap(({ attempts }) => attempts.flatMap((each) => each.recordIndexes))
    .find((at) => !known.has(at));
  if (orphans !== undefined) throw wrong(`an attempt names record ${orphans}, which is not in records`);
  return read as OperationExport;
}

type Unread = Partial<Record<keyof OperationExport, unknown>>;

function parse(text: string): Unread {
  try {
    return (JSON.parse(text) as Unread | null) ?? {};
  } catch {
    throw wrong('it is not JSON');
  }
}

function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.every(isItem);
}

function isRecord(value: unknown): value is ExportedRecord {
  const { index, status, sendState } = (value ?? {}) as Partial<ExportedRecord>;
  return typeof index === 'number' && typeof status === 'string' && typeof sendState === 'string';
}

function isCall(value: unknown): value is ExportedCall {
  const { number, attempts } = (value ?? {}) as Partial<ExportedCall>;
  const isAttempt = (each: ExportedCall['attempts'][number]) =>
    typeof each.number === 'number' && typeof each.sentAtMs === 'number' && Array.isArray(each.recordIndexes);
  return typeof number === 'number' && Array.isArray(attempts) && attempts.every(isAttempt);
}

function wrong(what: string): Error {
  return new Error(`This is no export of an operation: ${what}. Write one with: sluice op export <operationId>`);
}
