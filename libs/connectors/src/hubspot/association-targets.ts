import type { AssociationType } from '@sluice/types';
import { canonicalObjectName } from './object-names';
import type { ObjectSchema } from './object-schema';

/**
 * HubSpot's own association types by the object they begin at: type id to the object they point to; the primary one
 * after the plain one. Source: reference A4.
 */
const wellKnown: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  contacts: { 279: 'companies', 1: 'companies', 4: 'deals', 15: 'tickets' },
  companies: { 280: 'contacts', 2: 'contacts', 342: 'deals', 6: 'deals', 340: 'tickets', 25: 'tickets' },
  deals: { 3: 'contacts', 341: 'companies', 5: 'companies', 27: 'tickets' },
  tickets: { 16: 'contacts', 339: 'companies', 26: 'companies', 28: 'deals' },
};

/** The object that a type points to, where that is known without asking the account. Ids of other categories are the account's own. */
export function wellKnownTarget(objectName: string, type: AssociationType): string | undefined {
  if (type.associationCategory !== 'HUBSPOT_DEFINED') return undefined;
  return wellKnown[canonicalObjectName(objectName)]?.[type.associationTypeId];
}

/** The same by the account's schema. Undefined also where the schema has the id twice, for different objects. */
export function schemaTarget(schema: ObjectSchema | undefined, type: AssociationType): string | undefined {
  const [target, ...others] = schema?.targets.get(String(type.associationTypeId)) ?? [];
  return others.length === 0 ? target : undefined;
}
