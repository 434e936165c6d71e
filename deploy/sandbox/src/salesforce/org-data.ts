import type { ShownRecord } from '../control/imitated-provider';
import type { Action as CrmAction, ApiCall } from '../crm/api-call';
import { RecordStore, type Fields, type FieldValue, type RecordIds, type StoredRecord } from '../crm/record-store';
import type { FieldDefinition } from './field-definition';
import { findObject, objectDefinitions, objectNamed, uniqueFieldsOf, visibleFields } from './objects';
import { wireMoment } from './read-value';

/** What names an org; the same on every run. */
export interface OrgIdentity {
  readonly name: string;
  /** 18 characters. */
  readonly orgId: string;
  /** The integration user: author and owner of whatever names no other. */
  readonly userId: string;
  /** My Domain label: the org is at `https://{workspaceRef}.my.salesforce.com` in its own URLs. */
  readonly workspaceRef: string;
}

/** One admitted call of an org. Its parameters are `object`, `id` and `field`. */
export interface OrgCall extends ApiCall {
  readonly org: OrgIdentity;
  readonly data: OrgData;
  /** `60.0`. */
  readonly version: string;
  /** The integration user may set audit fields when it creates a record. */
  readonly auditFields: boolean;
}

export type Action = CrmAction<OrgCall>;

/** The records of one org. SOQL sees committed data at once. */
export class OrgData extends RecordStore {
  constructor(
    private readonly org: OrgIdentity,
    ids: RecordIds,
  ) {
    super(ids);
    this.addFirstRecords();
  }

  override clear(): void {
    super.clear();
    this.addFirstRecords();
  }

  objects(): readonly string[] {
    return objectDefinitions.filter((object) => object.isWritable).map((object) => object.name);
  }

  /** The value of a field of a record; null when unset. A checkbox is never null. */
  fieldValue(record: StoredRecord, field: FieldDefinition): FieldValue {
    const compute = field.name === 'Name' && people.has(record.type) ? wholeName : computed[field.name];
    if (compute) return compute(record, this.org.userId);
    return record.fields[field.name] ?? (field.type === 'boolean' ? false : null);
  }

  /** Live people that the duplicate rule takes for the one with these values. */
  findAlike(type: string, values: Fields): readonly StoredRecord[] {
    return personKeys(type, values).flatMap((key) => this.findByKey(key));
  }

  protected findType(object: string): string | undefined {
    return findObject(object)?.name;
  }

  protected uniqueFields(type: string): readonly string[] {
    return uniqueFieldsOf(type);
  }

  protected comparable(value: FieldValue): string {
    return String(value).toLowerCase();
  }

  protected override keysOf(record: StoredRecord): string[] {
    return [...super.keysOf(record), ...personKeys(record.type, record.fields)];
  }

  /** With every visible field that is set, computed ones included. */
  protected shown(record: StoredRecord): ShownRecord {
    const { id, createdAt, updatedAt } = record;
    const values = visibleFields(objectNamed(record.type)).map((field) => [field.name, this.fieldValue(record, field)]);
    return { id, createdAt, updatedAt, fields: Object.fromEntries(values.filter(([, value]) => value !== null)) };
  }

  private addFirstRecords(): void {
    for (const record of firstRecords(this.org)) this.put(record);
  }
}

/** Objects with an active duplicate rule. */
const people = new Set(['Contact', 'Lead']);

/** What the standard duplicate rule compares. Without an email a record matches no other. */
export const comparedFields = ['Email', 'LastName', 'FirstName'] as const;

function personKeys(type: string, values: Fields): string[] {
  if (!people.has(type) || !values.Email) return [];
  return [[type, ...comparedFields.map((field) => String(values[field] ?? '').toLowerCase())].join('\n')];
}

type Compute = (record: StoredRecord, userId: string) => FieldValue;

/** First name before last name, as Salesforce joins them; the salutation is no part of `Name`. */
const wholeName: Compute = ({ fields }) => [fields.FirstName, fields.LastName].filter(Boolean).join(' ');

const updated: Compute = (record) => toTheSecond(record.updatedAt);
const byUser: Compute = (_record, userId) => userId;

/** Salesforce stores its own moments to the second. */
function toTheSecond(moment: string): string {
  return wireMoment(new Date(Math.floor(Date.parse(moment) / 1000) * 1000));
}

/** Fields that Salesforce fills by itself, on every object that has them. */
const computed: Readonly<Record<string, Compute>> = {
  Id: (record) => record.id,
  IsDeleted: (record) => record.isDeleted,
  CreatedDate: (record) => toTheSecond(record.createdAt),
  LastModifiedDate: updated,
  SystemModstamp: updated,
  CreatedById: byUser,
  LastModifiedById: byUser,
  IsClosed: ({ fields }) => String(fields.StageName).startsWith('Closed'),
  IsWon: ({ fields }) => fields.StageName === 'Closed Won',
  Record_Number__c: (record) => `R-${String(record.number).padStart(6, '0')}`,
};

/** When every imitated org was opened. */
const OPENED_AT = '2026-01-01T00:00:00.000Z';

/** User name of the integration user. */
export const usernameOf = (name: string): string => `integration@${name.toLowerCase()}.example`;

/** What an org has before anything is written to it: itself, and the user that writes. */
function firstRecords({ name, orgId, userId }: OrgIdentity): StoredRecord[] {
  const common = { number: 1, createdAt: OPENED_AT, updatedAt: OPENED_AT, isDeleted: false };
  const email = usernameOf(name);
  const person = { LastName: 'User', FirstName: 'Integration', Name: 'Integration User', Alias: 'integ' };
  const organization = { Name: name, InstanceName: 'AK0', OrganizationType: 'Developer Edition', IsSandbox: false };
  return [
    { ...common, id: orgId, type: 'Organization', fields: organization },
    { ...common, id: userId, type: 'User', fields: { ...person, Username: email, Email: email, IsActive: true } },
  ];
}

/** A record in a reply: its type and its address, then the requested fields. */
export interface WireRecord {
  readonly attributes: { readonly type: string; readonly url: string };
  readonly [field: string]: FieldValue | object;
}

/** The address of a record, from the root. */
export const recordUrl = (version: string, { type, id }: StoredRecord): string =>
  `/services/data/v${version}/sobjects/${type}/${id}`;

export const attributesOf = (version: string, record: StoredRecord): WireRecord['attributes'] => ({
  type: record.type,
  url: recordUrl(version, record),
});

/** The requested fields in their order; `Id` comes last when it is not among them. */
export function presentRecord(call: OrgCall, record: StoredRecord, fields: readonly FieldDefinition[]): WireRecord {
  const values = fields.map((field) => [field.name, call.data.fieldValue(record, field)] as const);
  return { attributes: attributesOf(call.version, record), ...Object.fromEntries(values), Id: record.id };
}
