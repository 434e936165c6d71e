import { isCustom, type FieldDefinition, type FieldValue, type ObjectDefinition } from './field-definition';
import { objectNamed, visibleFields } from './object-definitions';
import { wireMoment } from './moments';

type Compute = (record: StoredRecord, userId: string) => FieldValue;

/** Shown to the right of the first name, as Salesforce joins them; the salutation is no part of `Name`. */
const wholeName: Compute = ({ fields }) => [fields.FirstName, fields.LastName].filter(Boolean).join(' ');

const isPerson = (type: string): boolean => type === 'Contact' || type === 'Lead';
const created: Compute = (record) => toTheSecond(record.createdAt);
const updated: Compute = (record) => toTheSecond(record.updatedAt);
const byUser: Compute = (_record, userId) => userId;

/** Salesforce keeps its own moments to the second. */
function toTheSecond(moment: string): string {
  return wireMoment(new Date(Math.floor(Date.parse(moment) / 1000) * 1000));
}

/** Fields that Salesforce fills by itself, on every object that has them. */
const computed: Readonly<Record<string, Compute>> = {
  Id: (record) => record.id,
  IsDeleted: (record) => record.isDeleted,
  CreatedDate: created,
  LastModifiedDate: updated,
  SystemModstamp: updated,
  CreatedById: byUser,
  LastModifiedById: byUser,
  IsClosed: ({ fields }) => String(fields.StageName).startsWith('Closed'),
  IsWon: ({ fields }) => fields.StageName === 'Closed Won',
  Record_Number__c: (record) => `R-${String(record.number).padStart(6, '0')}`,
};

/** The value of a field of a record; null when unset. A checkbox is never null. */
export function fieldValue(record: StoredRecord, field: FieldDefinition, userId: string): FieldValue {
  const compute = field.name === 'Name' && isPerson(record.type) ? wholeName : computed[field.name];
  if (compute) return compute(record, userId);
  return record.fields[field.name] ?? (field.type === 'boolean' ? false : null);
}

/** Every visible field that is set, computed ones included. */
export function setValues(record: StoredRecord, userId: string): Record<string, FieldValue> {
  const values = visibleFields(objectNamed(record.type)).map(
    (field) => [field.name, fieldValue(record, field, userId)] as const,
  );
  return Object.fromEntries(values.filter(([, value]) => value !== null));
}

/** What `FIELDS(ALL)`, `FIELDS(STANDARD)` and `FIELDS(CUSTOM)` stand for. */
export function fieldGroup(object: ObjectDefinition, group: string): readonly FieldDefinition[] {
  const visible = visibleFields(object);
  return group === 'ALL' ? visible : visible.filter((field) => isCustom(field) === (group === 'CUSTOM'));
}

/**
 * A stored record. Never changed in place: a write replaces it, so that a rolled back call can put the old one back.
 * Plain JSON, because it goes into the journal as it is.
 */
export interface StoredRecord {
  /** 18 characters. */
  readonly id: string;
  /** Name of its object. */
  readonly type: string;
  /** Running number within its object, behind an auto-number field. */
  readonly number: number;
  /** What was written and is set; computed fields are added when it is shown. */
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  /** In the recycle bin: only `queryAll` and the error for its id still know it. */
  readonly isDeleted: boolean;
}
