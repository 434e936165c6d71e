import type { FieldMetadata, FieldValueType, ObjectMetadata } from '@sluice/types';
import { refused, toProviderError, unreadable } from '../provider-call';
import type { ObjectCall } from '../requests';
import type { SalesforceApi } from './call-salesforce';
import {
  type Description,
  type FieldDescription,
  isFieldPath,
  isObjectName,
  objectRule,
  paths,
  readDescription,
} from './wire';

/**
 * `GET /sobjects/{object}/describe`, kept for about a minute per credential and object. Every query needs it, so that
 * one search costs one call and not two. Source: reference B5.
 * @throws ProviderError; `rejected` names the object
 */
export async function describe(api: SalesforceApi, call: ObjectCall): Promise<Description> {
  const { objectName } = call;
  if (!isObjectName(objectName)) throw rejected(objectRule(objectName));
  return await api.descriptions.get(call, objectName.toLowerCase(), (shared) => load(api, shared));
}

async function load(api: SalesforceApi, call: ObjectCall): Promise<Description> {
  const { objectName } = call;
  const answer = await api.call({ operation: 'describe', method: 'GET', path: paths.describe(objectName) }, call);
  if (!answer.ok) {
    const { status, message } = answer.failure;
    const invisible = `the object '${objectName}' is not there or not visible to this user; ${message}`;
    throw toProviderError({ ...answer.failure, message: status === 404 ? invisible : message }, 'salesforce');
  }
  const description = readDescription(answer.body);
  if (description) return description;
  throw unreadable('salesforce', `Salesforce described the object '${objectName}' without fields`);
}

/** A refusal of ours, before anything is sent. */
export function rejected(message: string) {
  return toProviderError(refused(message), 'salesforce');
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
 * Looks a field up in the account's description, over relationships too. Only a field that is found is put into a query.
 * Source: reliability checklist, item 25.
 * @throws ProviderError `rejected`, naming the field
 */
export async function resolveField(api: SalesforceApi, call: ObjectCall, name: string): Promise<ResolvedField> {
  if (!isFieldPath(name)) {
    throw rejected(
      `the field '${name.slice(0, 80)}' has no Salesforce name: letters, digits and _, parts joined by dots`,
    );
  }
  const steps = name.split('.');
  const last = steps.pop() as string;
  const path: string[] = [];
  let description = await describe(api, call);
  for (const step of steps) {
    const reference = relationOf(description, step);
    if (!reference?.relationshipName) throw absent(name, step, description, 'relationship');
    path.push(reference.relationshipName);
    const [only, ...others] = reference.referenceTo;
    const objectName = only !== undefined && others.length === 0 ? only : polymorphic;
    description = await describe(api, { ...call, objectName });
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
