/** Kinds of value that differ in how HubSpot checks and compares them. */
export type ValueType = 'string' | 'number' | 'bool' | 'enumeration' | 'date' | 'datetime';

/** One property of an object, as far as behaviour depends on it; `property-metadata.ts` widens it to the wire form. */
export interface PropertyDefinition {
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly fieldType: string;
  /** Allowed values of an enumeration; absent when any value passes. */
  readonly options?: readonly string[];
  /** The options are kept elsewhere (owners, pipelines) and are not in the metadata of the property. */
  readonly externalOptions?: true;
  /** Several options joined by `;`. */
  readonly multiple?: true;
  /** Set by HubSpot only: a write answers READ_ONLY_VALUE. */
  readonly readOnly?: true;
  /** No two records of the object share a value, compared without case. */
  readonly unique?: true;
  /** Added by the customer rather than delivered with HubSpot. */
  readonly custom?: true;
}

type Extra = Partial<Omit<PropertyDefinition, 'name' | 'label' | 'type' | 'fieldType'>>;

export const words = (names: string): string[] => names.split(/\s+/).filter(Boolean);

/** Properties that differ in nothing but their names. */
export function define(names: string, type: ValueType, fieldType: string, extra: Extra = {}): PropertyDefinition[] {
  return words(names).map((name) => ({ name, label: labelOf(name), type, fieldType, ...extra }));
}

/** Properties that every object has and nobody can write. */
export const systemProperties: readonly PropertyDefinition[] = [
  ...define('createdate', 'datetime', 'date', { readOnly: true }),
  ...define('hs_object_id', 'number', 'number', { readOnly: true }),
  ...define('hs_object_source hs_object_source_id hs_object_source_label', 'string', 'text', { readOnly: true }),
];

function labelOf(name: string): string {
  const plain = name.replace(/^hs_/, '').replaceAll('_', ' ');
  return plain.replace(/^\w/, (letter) => letter.toUpperCase());
}
