import type { Problem } from './errors';
import type { FieldValue } from './field-definition';
import { comparedFields } from './person-index';
import type { RecordStore } from './record-store';
import type { StoredRecord } from './stored-record';

/** Whether the caller lets duplicates through: `Sforce-Duplicate-Rule-Header: allowSave=true`. */
export const allowsDuplicates = (header: string | undefined): boolean => /\ballowSave\s*=\s*true\b/i.test(header ?? '');

/**
 * The live records that the standard rule takes for the same person: equal email, last and first name, whatever their
 * case. A write without email matches nobody; neither does an update that changes none of the three.
 */
export function findDuplicates(
  store: RecordStore,
  type: string,
  write: { readonly values: Readonly<Record<string, FieldValue>>; readonly current?: StoredRecord | undefined },
): readonly StoredRecord[] {
  if (!comparedFields.some((field) => field in write.values)) return [];
  const alike = store.findAlike(type, { ...write.current?.fields, ...write.values });
  return alike.filter((other) => other.id !== write.current?.id);
}

/** The refusal, with the details that a single call carries. `url` makes the address of a record. */
export function duplicatesDetected(
  duplicates: readonly StoredRecord[],
  url: (record: StoredRecord) => string,
): Problem {
  const [first] = duplicates;
  const type = first?.type ?? '';
  const message = 'Use one of these records?';
  const matchRecords = duplicates.map((record) => ({
    additionalInformation: [],
    fieldDiffs: [],
    matchConfidence: 100,
    record: { attributes: { type, url: url(record) }, Id: record.id },
  }));
  const match = { entityType: type, errors: [], matchEngine: 'FuzzyMatchEngine', matchRecords, success: true };
  const duplicateResult = {
    allowSave: true,
    duplicateRule: `Standard_${type}_Duplicate_Rule`,
    duplicateRuleEntityType: type,
    errorMessage: message,
    matchResults: [{ ...match, rule: `Standard_${type}_Match_Rule_v1_1`, size: duplicates.length }],
  };
  return { code: 'DUPLICATES_DETECTED', message, extra: { duplicateResult } };
}
