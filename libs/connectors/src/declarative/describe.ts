import type { FieldMetadata, ObjectMetadata } from '@sluice/types';
import type { AccountCache } from '../account-cache';
import { toProviderError } from '../provider-call';
import type { ObjectCall } from '../requests';
import { callProvider, type DeclaredApi } from './call-provider';
import { offeredName } from './custom-fields';
import type { CustomFields, DeclaredField, DeclaredFields, Match } from './declaration';
import { type FoundObject, fillText, findObject, textAt, valueAt } from './template';

/** Fields as an account lists them, by object. */
export type FieldsCache = AccountCache<readonly FieldMetadata[]>;

/**
 * The object's fields: those of the file where it lists them, else as the account lists them.
 * @throws ProviderError
 */
export async function describe(api: DeclaredApi, cache: FieldsCache, call: ObjectCall): Promise<ObjectMetadata> {
  const found = findObject(api.file, call.objectName);
  if ('class' in found) throw toProviderError(found, api.file.name);
  const { name, object } = found;
  const fields = object.fields?.map(toDeclared) ?? (await listedFields(api, cache, call, found));
  return {
    name,
    ...(object.displayName !== undefined && { displayName: object.displayName }),
    fields: Object.fromEntries(fields.map((field) => [field.fieldName, field])),
  };
}

function toDeclared({ name, label, type, readOnly, required }: DeclaredField): FieldMetadata {
  return {
    fieldName: name,
    displayName: label ?? name,
    valueType: type,
    ...(readOnly !== undefined && { readOnly }),
    ...(required !== undefined && { isRequired: required }),
  };
}

async function listedFields(
  api: DeclaredApi,
  cache: FieldsCache,
  call: ObjectCall,
  found: FoundObject,
): Promise<readonly FieldMetadata[]> {
  const { fields: declared, name: provider, displayName } = api.file;
  if (declared === undefined) {
    const message = `${displayName} does not list the fields of '${found.name}'`;
    throw toProviderError({ class: 'rejected', scope: 'call', message }, provider);
  }
  return cache.get(call, found.name, async (shared) => {
    const query = Object.entries(declared.query ?? {}).map(
      ([key, value]) => [key, fillText(value, found.texts)] as const,
    );
    const request = { operation: 'fields', method: 'GET', path: declared.path, texts: found.texts, query } as const;
    const answer = await callProvider(api, request, shared);
    if (!answer.ok) throw toProviderError(answer.failure, provider);
    const listed = valueAt(answer.body, fillText(declared.list, found.texts));
    if (Array.isArray(listed))
      return listed.flatMap((field: unknown) => toField(declared, found.object.custom, field) ?? []);
    throw toProviderError({ ...answer.lacking(), class: 'unavailable' }, provider);
  });
}

function toField(
  declared: DeclaredFields,
  custom: CustomFields | undefined,
  field: unknown,
): FieldMetadata | undefined {
  const name = textAt(field, declared.name);
  if (name === undefined) return undefined;
  const isCustom = declared.custom !== undefined && matches(field, declared.custom);
  const fieldName = isCustom && custom ? offeredName(custom, name) : name;
  const providerType = declared.type === undefined ? undefined : textAt(field, declared.type);
  const values = optionsOf(declared.options, field);
  return {
    fieldName,
    displayName: (declared.label === undefined ? undefined : textAt(field, declared.label)) ?? name,
    ...(providerType !== undefined && { providerType, valueType: valueTypeOf(declared, providerType) }),
    ...(declared.readOnly && { readOnly: matches(field, declared.readOnly) }),
    ...(declared.required && { isRequired: matches(field, declared.required) }),
    ...(declared.custom && { isCustom }),
    ...(values.length > 0 && { values }),
  };
}

function valueTypeOf({ types = {} }: DeclaredFields, providerType: string): NonNullable<FieldMetadata['valueType']> {
  return (Object.hasOwn(types, providerType) ? types[providerType] : undefined) ?? 'other';
}

function matches(field: unknown, { at, equals }: Match): boolean {
  return valueAt(field, at) === equals;
}

function optionsOf(options: DeclaredFields['options'], field: unknown): NonNullable<FieldMetadata['values']> {
  const listed = options === undefined ? undefined : valueAt(field, options.list);
  if (options === undefined || !Array.isArray(listed)) return [];
  return listed.flatMap((option: unknown) => {
    const value = textAt(option, options.value);
    if (value === undefined) return [];
    return [
      { value, displayValue: (options.label === undefined ? undefined : textAt(option, options.label)) ?? value },
    ];
  });
}
