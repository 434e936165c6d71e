import type { StoredRecord } from '../crm/record-store';

/** A stored HubSpot record: every value is text. */
export type CrmRecord = StoredRecord<string>;

/** Types of value that differ in how HubSpot checks and compares them. */
export type ValueType = 'string' | 'number' | 'bool' | 'enumeration' | 'date' | 'datetime';

/** One property of an object, as far as behaviour depends on it; `metadata.ts` widens it to the wire form. */
export interface PropertyDefinition {
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly fieldType: string;
  /** Allowed values of an enumeration; absent when any value passes. */
  readonly options?: readonly string[];
  /** The options are stored elsewhere (owners, pipelines) and are not in the metadata of the property. */
  readonly externalOptions?: true;
  /** Several options joined by `;`. */
  readonly multiple?: true;
  /** Set by HubSpot only: a write returns READ_ONLY_VALUE. */
  readonly readOnly?: true;
  /** No two records of the object share a value, compared without case. */
  readonly unique?: true;
  /** Added by the customer rather than delivered with HubSpot. */
  readonly custom?: true;
}

export type ComputedProperties = Readonly<Record<string, (record: CrmRecord) => string | undefined>>;

/** One object: everything in which contacts, companies and deals differ. */
export interface ObjectType {
  /** In addresses: `contacts`. */
  readonly name: string;
  readonly singular: string;
  /** HubSpot's number of the object: `0-1`. */
  readonly typeId: string;
  /** By name. A realistic part of HubSpot's several hundred. */
  readonly properties: ReadonlyMap<string, PropertyDefinition>;
  /** Names of the properties that no two records may share. */
  readonly unique: readonly string[];
  /** Names of the properties that a record cannot be without. */
  readonly required: readonly string[];
  /** Properties that HubSpot fills by itself. */
  readonly computed: ComputedProperties;
  /** In every read reply, whatever was requested. */
  readonly alwaysShown: readonly string[];
  /** In a read reply that names no properties, beside those. */
  readonly shownByDefault: readonly string[];
  /** In the reply to an update, beside those and what was sent. */
  readonly shownAfterUpdate: readonly string[];
  /** The properties that the free text of a search is compared with. */
  readonly searched: readonly string[];
}

type Described = Omit<ObjectType, 'properties' | 'unique'> & { readonly properties: readonly PropertyDefinition[] };

export function objectType(described: Described): ObjectType {
  const unique = described.properties.filter((definition) => definition.unique === true).map(({ name }) => name);
  const properties = new Map(described.properties.map((definition) => [definition.name, definition]));
  return { ...described, properties, unique };
}

type Extra = Partial<Omit<PropertyDefinition, 'name' | 'label' | 'type' | 'fieldType'>>;

export const words = (names: string): string[] => names.split(/\s+/).filter(Boolean);

/** Properties that differ in nothing but their names. */
export function define(names: string, type: ValueType, fieldType: string, extra: Extra = {}): PropertyDefinition[] {
  return words(names).map((name) => ({ name, label: labelOf(name), type, fieldType, ...extra }));
}

function labelOf(name: string): string {
  const plain = name.replace(/^hs_/, '').replaceAll('_', ' ');
  return plain.replace(/^\w/, (letter) => letter.toUpperCase());
}

/** The value of any property of a record; undefined when unset. */
export function propertyValue({ computed }: ObjectType, record: CrmRecord, name: string): string | undefined {
  return computed[name]?.(record) ?? record.fields[name];
}

/** Every set property, own and computed. */
export function allValues(type: ObjectType, record: CrmRecord): Record<string, string> {
  const values: Record<string, string> = { ...record.fields };
  for (const name of Object.keys(type.computed)) {
    const value = propertyValue(type, record, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
