import type { CrmRecord } from '../crm-record';
import type { PropertyDefinition } from './property-definition';

export type ComputedProperties = Readonly<Record<string, (record: CrmRecord) => string | undefined>>;

/** One kind of record: everything in which contacts, companies and deals differ. */
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
  /** Names that a record cannot be without. */
  readonly required: readonly string[];
  /** Properties that HubSpot fills by itself. */
  readonly computed: ComputedProperties;
  /** In every read reply, whatever was asked for. */
  readonly alwaysShown: readonly string[];
  /** In a read reply that names no properties, beside those. */
  readonly shownByDefault: readonly string[];
  /** In the reply to an update, beside those and what was sent. */
  readonly shownAfterUpdate: readonly string[];
  /** Where the free text of a search looks. */
  readonly searched: readonly string[];
}

type Described = Omit<ObjectType, 'properties' | 'unique'> & { readonly properties: readonly PropertyDefinition[] };

export function objectType(described: Described): ObjectType {
  const unique = described.properties.filter((definition) => definition.unique === true).map(({ name }) => name);
  const properties = new Map(described.properties.map((definition) => [definition.name, definition]));
  return { ...described, properties, unique };
}

/** The app that writes, as HubSpot names it in a record. Constants as in recorded replies. */
export const sourceOfRecords: ComputedProperties = {
  createdate: (record) => record.createdAt.toISOString(),
  hs_object_id: (record) => record.id,
  hs_object_source: () => 'INTEGRATION',
  hs_object_source_id: () => '19083857',
  hs_object_source_label: () => 'INTEGRATION',
};
