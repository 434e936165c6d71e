import { fieldSteps } from '@sluice/types';
import { isJson, type Json, listOf, textOf } from '../http-client';
import type { ProviderRecord } from '../results';

/** API version. Collections need v42, the duplicate-rule header v52. Source: reference B1, B3, B6. */
const version = 'v66.0';
const root = `/services/data/${version}`;

/** The form of every object and field name of Salesforce. Source: reliability checklist, item 25. */
const identifier = '[A-Za-z][A-Za-z0-9_]{0,79}';
const objectForm = new RegExp(`^${identifier}$`);
const fieldForm = new RegExp(`^${identifier}(\\.${identifier}){0,4}$`);

/** An object name that is allowed in a path, a query or an `attributes.type`. */
export function isObjectName(name: string): boolean {
  return objectForm.test(name);
}

/** A field name, or a path over relationships: `Account.Owner.Name`. It cannot be escaped, so it must have this form. */
export function isFieldPath(name: string): boolean {
  return fieldForm.test(name);
}

/** What the parts of a compound field are called in it. Source: Salesforce, "Address Compound Fields". */
const partsOfPlace = /^(street|city|state(code)?|postalcode|country(code)?|latitude|longitude|geocodeaccuracy)$/i;
const partsOfName = /^(salutation|firstname|middlename|informalname|lastname|suffix)$/i;

/**
 * The field that a path in brackets means. `$['BillingAddress']['city']` is `BillingCity`, `$['Home__c']['city']` is `Home__City__s`.
 * `$['Account']['Name']` is `Account.Name`. Compound fields are read-only and cannot be filtered, their components are the same data. Source:
 * Salesforce, Object Reference, "Compound Field Considerations and Limitations".
 */
export function componentOf(name: string): string | undefined {
  const steps = fieldSteps(name);
  const [compound = '', inner] = steps.slice(-2);
  if (inner === undefined) return compound;
  const part = partsOfPlace.test(inner) ? inner.charAt(0).toUpperCase() + inner.slice(1) : undefined;
  const [, standard] = /^(\w*)Address$/i.exec(compound) ?? [];
  const [, custom] = /^(\w+)__c$/i.exec(compound) ?? [];
  let component = partsOfName.test(inner) && /^name$/i.test(compound) ? inner : undefined;
  if (part !== undefined && standard !== undefined) component = `${standard}${part}`;
  if (part !== undefined && custom !== undefined) component = `${custom}__${part}__s`;
  const path = [...steps.slice(0, -2), ...(component === undefined ? [compound, inner] : [component])].join('.');
  return isFieldPath(path) && !/^attributes\./i.test(path) ? path : undefined;
}

/** Every path. The only place that spells one; names and ids are percent-encoded, so none can add a segment. */
export const paths = {
  /** Create. */
  objects: (objectName: string) => `${root}/sobjects/${encodeURIComponent(objectName)}`,
  /** Update and delete. */
  object: (objectName: string, recordId: string) => `${paths.objects(objectName)}/${encodeURIComponent(recordId)}`,
  describe: (objectName: string) => `${paths.objects(objectName)}/describe`,
  /** Create and update of several records. */
  collections: `${root}/composite/sobjects`,
  /** Read by ids. */
  retrieve: (objectName: string) => `${paths.collections}/${encodeURIComponent(objectName)}`,
  /** Create or update by an external id. */
  upserts: (objectName: string, field: string) => `${paths.retrieve(objectName)}/${encodeURIComponent(field)}`,
  query: (soql: string, resource: 'query' | 'queryAll' = 'query') =>
    `${root}/${resource}?q=${encodeURIComponent(soql)}`,
  userinfo: '/services/oauth2/userinfo',
  authorize: '/services/oauth2/authorize',
  token: '/services/oauth2/token',
} as const;

export function objectRule(objectName: string): string {
  return `the object '${objectName.slice(0, 80)}' has no Salesforce name: a letter, then letters, digits and _, at most 80`;
}

/** 15 characters that distinguish upper and lower case, or 18 with a checksum. Source: reference B8. */
const form = /^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/;

/** Asked before an id is placed in a URL or a query. Source: reliability checklist, item 27. */
export function isRecordId(text: string): boolean {
  return form.test(text);
}

/** The part that both forms of an id share: input may be either, replies have 18. */
export function idKey(recordId: string): string {
  return recordId.slice(0, 15);
}

/** For `recordKey` of the contract. A text that is no id must not become another one when it is cut. */
export function recordKey(recordId: string): string {
  return isRecordId(recordId) ? idKey(recordId) : recordId;
}

export function isSameRecord(one: string, other: string): boolean {
  return idKey(one) === idKey(other);
}

/** For a refusal without a call. */
export function idRule(recordId: string): string {
  return `id must be a Salesforce id of 15 or 18 letters and digits, not '${recordId.slice(0, 40)}'`;
}

/**
 * Salesforce's bodies as they arrive: nothing in them is trusted, every member may be missing or of another type.
 * Source of the shapes: Salesforce REST guide; see reference B2, B3, B4 and B7.
 */

/** One error, of a call (`errorCode`), of a record in a 2xx (`statusCode`) or of the OAuth endpoints (`error`). */
export interface WireError {
  readonly code: string | undefined;
  readonly message: string;
  /** Field names that the error is about. */
  readonly fields: readonly string[];
  /** Records that a duplicate rule found, where the reply names them. */
  readonly duplicateIds: readonly string[];
}

/** The outcome of one record: the body of a 201, an item of a collection's reply. */
export interface WireSaved {
  readonly id: string | undefined;
  /** Undefined when the reply does not say. */
  readonly success: boolean | undefined;
  readonly errors: readonly WireError[];
}

/** A page of a query. */
export interface WirePage {
  readonly records: readonly Json[];
  /** False: there are more rows than the page holds, or the reply does not say that there are none. */
  readonly isWhole: boolean;
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The errors of a refused call: a list, or one object from the OAuth endpoints. */
export function readErrors(body: unknown): WireError[] {
  const errors = Array.isArray(body) ? body.filter(isJson) : isJson(body) ? [body] : [];
  return errors.map(readError).filter(({ code, message }) => code !== undefined || message !== '');
}

export function readSaved(value: unknown): WireSaved | undefined {
  if (!isJson(value)) return undefined;
  const { id, success, errors } = value;
  return {
    id: typeof id === 'string' && isRecordId(id) ? id : undefined,
    success: typeof success === 'boolean' ? success : undefined,
    errors: readErrors(Array.isArray(errors) ? errors : []),
  };
}

/** Undefined for what is no page of a query: nothing follows from it, least of all that there is no such record. */
export function readPage(body: unknown): WirePage | undefined {
  if (!isJson(body)) return undefined;
  const { records, totalSize, done } = body;
  if (!Array.isArray(records) || !records.every(isJson)) return undefined;
  return { records, isWhole: done === true && typeof totalSize === 'number' && totalSize <= records.length };
}

/** A record's id: `Id` where it was requested, else the end of its own address. */
function recordIdOf(record: Json): string | undefined {
  const id = Object.entries(record).find(([name]) => name.toLowerCase() === 'id')?.[1];
  const { attributes } = record;
  const url = isJson(attributes) ? textOf(attributes['url']) : undefined;
  const found = textOf(id) ?? url?.slice(url.lastIndexOf('/') + 1);
  return found !== undefined && isRecordId(found) ? found : undefined;
}

/** Salesforce writes `+0000`, which is no ISO 8601 of ECMAScript. */
export function dateOf(value: unknown): Date | undefined {
  if (typeof value !== 'string') return undefined;
  const date = new Date(value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
  return Number.isNaN(date.getTime()) ? undefined : date;
}

function readError(error: Json): WireError {
  const { errorCode, statusCode, error: oauthError } = error;
  return {
    code: textOf(errorCode) ?? textOf(statusCode) ?? textOf(oauthError),
    message: textOf(error['message']) ?? textOf(error['error_description']) ?? '',
    fields: textsOf(error['fields']),
    duplicateIds: duplicatesOf(error['duplicateResult']),
  };
}

/** Of the object that is written alone: a rule for contacts may match leads as well. Source: docs/providers/field-reports.md, S28. */
function duplicatesOf(result: unknown): string[] {
  const { matchResults, duplicateRuleEntityType: written } = isJson(result) ? result : {};
  const matches = listOf(matchResults).filter(({ entityType = written }) => entityType === (written ?? entityType));
  const records = matches.flatMap((match) => listOf(match['matchRecords']));
  const ids = records.flatMap(({ record }) => (isJson(record) ? (recordIdOf(record) ?? []) : []));
  return [...new Set(ids)];
}

/**
 * A record as it leaves this folder. With `requested`, its fields have the names that were requested, whatever case
 * Salesforce replies in; a path (`Account.Name`) is one name. Without, every field is there. Undefined without an id.
 */
export function toProviderRecord(raw: Json, requested?: readonly string[]): ProviderRecord | undefined {
  const id = recordIdOf(raw);
  if (id === undefined) return undefined;
  const { attributes: _, ...own } = raw;
  const members = new Map(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  const createdAt = dateOf(members.get('createddate'));
  const fields = requested ? Object.fromEntries(requested.map((name) => [name, valueAt(raw, name)])) : own;
  return { id, fields, raw, ...(createdAt && { createdAt }) };
}

function valueAt(record: Json, path: string): unknown {
  let value: unknown = record;
  for (const step of path.toLowerCase().split('.')) {
    if (!isJson(value)) return null;
    value = Object.entries(value).find(([name]) => name.toLowerCase() === step)?.[1] ?? null;
  }
  return value;
}

/** A field as an account describes it; only what we use. Source: reference B5. */
export interface FieldDescription {
  /** In the case that replies use. */
  readonly name: string;
  readonly label: string;
  /** Salesforce's type: `string`, `currency`, `reference`. */
  readonly type: string;
  readonly isCustom: boolean;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  /** Allowed in a WHERE. */
  readonly isFilterable: boolean;
  readonly isUnique: boolean;
  readonly isExternalId: boolean;
  /** Markup, which Salesforce rewrites when it is stored. */
  readonly isMarkup: boolean;
  /** Digits behind the point that are kept. */
  readonly scale: number | undefined;
  /** Objects of a reference; several when it is polymorphic. */
  readonly referenceTo: readonly string[];
  /** The name that leads from a reference to the fields of its record: `Account` of `AccountId`. */
  readonly relationshipName: string | undefined;
  readonly options: readonly { readonly value: string; readonly displayValue: string }[];
}

export interface Description {
  readonly name: string;
  readonly label: string | undefined;
  /** By name in lower case: Salesforce takes names in any case. */
  readonly fields: ReadonlyMap<string, FieldDescription>;
}

export function readDescription(body: unknown): Description | undefined {
  if (!isJson(body) || !Array.isArray(body['fields'])) return undefined;
  const name = textOf(body['name']);
  if (name === undefined) return undefined;
  const fields = body['fields'].filter(isJson).flatMap((field) => readField(field) ?? []);
  return {
    name,
    label: textOf(body['label']),
    fields: new Map(fields.map((field) => [field.name.toLowerCase(), field])),
  };
}

function readField(field: Json): FieldDescription | undefined {
  const [name, type] = [textOf(field['name']), textOf(field['type'])];
  if (name === undefined || type === undefined) return undefined;
  const isTrue = (member: string) => field[member] === true;
  const isWritable = isTrue('createable') || isTrue('updateable');
  return {
    name,
    label: textOf(field['label']) ?? name,
    type,
    isCustom: isTrue('custom'),
    isRequired: isTrue('createable') && !isTrue('nillable') && !isTrue('defaultedOnCreate'),
    isReadOnly: isTrue('calculated') || isTrue('autoNumber') || !isWritable,
    isFilterable: isTrue('filterable'),
    isUnique: isTrue('unique'),
    isExternalId: isTrue('externalId'),
    isMarkup: isTrue('htmlFormatted'),
    scale: typeof field['scale'] === 'number' ? field['scale'] : undefined,
    referenceTo: textsOf(field['referenceTo']),
    relationshipName: textOf(field['relationshipName']),
    options: listOf(field['picklistValues']).flatMap(readOption),
  };
}

function readOption(option: Json): { value: string; displayValue: string }[] {
  const value = textOf(option['value']);
  if (value === undefined || option['active'] === false) return [];
  return [{ value, displayValue: textOf(option['label']) ?? value }];
}
