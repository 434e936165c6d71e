import type { FieldMetadata, FieldValueType, ObjectMetadata } from '@sluice/types';
import { createAccountCache } from '../account-cache';
import { toProviderError } from '../failures';
import { type Json, isJson, listOf, textOf } from '../json';
import type { ObjectCall } from '../requests';
import type { ProviderFailure } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { isFieldPath, isObjectName, objectRule, paths } from './paths';
import { textsOf } from './wire';

/** @throws ProviderError; `rejected` names the object */
export type Describe = (call: ObjectCall) => Promise<Description>;

/**
 * `GET /sobjects/{object}/describe`, kept for about a minute per credential and object. Every query needs it, so that
 * one search costs one call and not two. Source: reference B5.
 */
export function createDescriber(api: SalesforceApi): Describe {
  const cache = createAccountCache<Description>();
  return async (call) => {
    const { objectName, auth, traceparent, observe, withhold } = call;
    if (!isObjectName(objectName)) throw rejected(objectRule(objectName));
    // Without the caller's signal: others may wait for the same answer. The call's own timeout bounds it.
    const shared = {
      auth,
      ...(traceparent !== undefined && { traceparent }),
      ...(observe && { observe }),
      ...(withhold && { withhold }),
    };
    return await cache.get(auth, objectName.toLowerCase(), () => load(api, { ...shared, objectName }));
  };
}

async function load(api: SalesforceApi, call: ObjectCall): Promise<Description> {
  const { objectName } = call;
  const answer = await api.call({ operation: 'describe', method: 'GET', path: paths.describe(objectName) }, call);
  if (!answer.ok) {
    const message = `the object '${objectName}' is not there or not visible to this user; ${answer.failure.message}`;
    throw toProviderError(
      answer.failure.status === 404 ? { ...answer.failure, message } : answer.failure,
      'salesforce',
    );
  }
  const description = readDescription(answer.body);
  if (description) return description;
  const message = `Salesforce described the object '${objectName}' without fields`;
  throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'salesforce');
}

/** A refusal of ours, before anything is sent. */
export function rejected(message: string) {
  const failure: ProviderFailure = { class: 'rejected', scope: 'record', message };
  return toProviderError(failure, 'salesforce');
}

/** A field as an account describes it; only what we use. Source: reference B5. */
export interface FieldDescription {
  /** In the case that replies use. */
  readonly name: string;
  readonly label: string;
  /** Salesforce's word: `string`, `currency`, `reference`. */
  readonly type: string;
  readonly isCustom: boolean;
  readonly isRequired: boolean;
  readonly isReadOnly: boolean;
  /** Can stand in a WHERE. */
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

function readDescription(body: unknown): Description | undefined {
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

const valueTypes: Readonly<Record<string, FieldValueType>> = {
  ...all('string', 'id', 'string', 'textarea', 'email', 'phone', 'url', 'encryptedstring', 'combobox'),
  ...all('singleSelect', 'picklist'),
  ...all('multiSelect', 'multipicklist'),
  ...all('boolean', 'boolean'),
  ...all('int', 'int', 'long'),
  ...all('float', 'double', 'currency', 'percent'),
  ...all('date', 'date'),
  ...all('datetime', 'datetime'),
  ...all('reference', 'reference'),
};

function all(valueType: FieldValueType, ...types: readonly string[]): Record<string, FieldValueType> {
  return Object.fromEntries(types.map((type) => [type, valueType]));
}

/** As `describe` of the contract answers. */
export function toMetadata({ name, label, fields }: Description): ObjectMetadata {
  return {
    name,
    ...(label !== undefined && { displayName: label }),
    fields: Object.fromEntries([...fields.values()].map((field) => [field.name, toFieldMetadata(field)])),
  };
}

function toFieldMetadata(field: FieldDescription): FieldMetadata {
  return {
    fieldName: field.name,
    displayName: field.label,
    valueType: Object.hasOwn(valueTypes, field.type) ? (valueTypes[field.type] ?? 'other') : 'other',
    providerType: field.type,
    readOnly: field.isReadOnly,
    isCustom: field.isCustom,
    isRequired: field.isRequired,
    ...(field.referenceTo.length > 0 && { referenceTo: field.referenceTo }),
    ...(field.options.length > 0 && { values: field.options }),
  };
}

/** A field that is really there, under the name that replies use. */
interface ResolvedField {
  /** `Email`, `Account.Name`. */
  readonly path: string;
  readonly field: FieldDescription;
}

/** Salesforce describes under this name what the objects of a polymorphic reference share. */
const polymorphic = 'Name';

/**
 * Looks a field up in the account's description, over relationships too. Only what is found can stand in a query.
 * Source: reliability checklist, item 25.
 * @throws ProviderError `rejected`, naming the field
 */
export async function resolveField(describe: Describe, call: ObjectCall, name: string): Promise<ResolvedField> {
  if (!isFieldPath(name)) {
    throw rejected(
      `the field '${name.slice(0, 80)}' has no Salesforce name: letters, digits and _, parts joined by dots`,
    );
  }
  const steps = name.split('.');
  const last = steps.pop() as string;
  const path: string[] = [];
  let description = await describe(call);
  for (const step of steps) {
    const reference = relationOf(description, step);
    if (!reference?.relationshipName) throw absent(name, step, description, 'relationship');
    path.push(reference.relationshipName);
    const [only, ...others] = reference.referenceTo;
    const objectName = only !== undefined && others.length === 0 ? only : polymorphic;
    description = await describe({ ...call, objectName });
  }
  const field = description.fields.get(last.toLowerCase());
  if (!field) throw absent(name, last, description, 'field');
  return { path: [...path, field.name].join('.'), field };
}

function relationOf({ fields }: Description, step: string): FieldDescription | undefined {
  return [...fields.values()].find(({ relationshipName }) => relationshipName?.toLowerCase() === step.toLowerCase());
}

function absent(name: string, step: string, { name: objectName }: Description, kind: string) {
  return rejected(
    `the field '${name}' does not exist: ${objectName} has no ${kind} '${step}', or this user may not see it`,
  );
}
