import type { ObjectType } from './objects/object-type';

/** A kind of link in one direction. */
export interface AssociationType {
  readonly id: number;
  readonly name: string;
  /** Type ids of the two objects. */
  readonly from: string;
  readonly to: string;
  /** The same link seen from the other side. */
  readonly inverseId: number;
  /** Shown to people; null for a plain link. */
  readonly label: string | null;
}

const contact = '0-1';
const company = '0-2';
const deal = '0-3';

/** HubSpot's own kinds, which every account has. Source: docs/contributing/providers.md, A4. Plain kinds stand before primary ones. */
export const associationTypes: readonly AssociationType[] = [
  { id: 279, name: 'contact_to_company_unlabeled', from: contact, to: company, inverseId: 280, label: null },
  { id: 280, name: 'company_to_contact_unlabeled', from: company, to: contact, inverseId: 279, label: null },
  { id: 1, name: 'contact_to_company', from: contact, to: company, inverseId: 2, label: 'Primary' },
  { id: 2, name: 'company_to_contact', from: company, to: contact, inverseId: 1, label: 'Primary' },
  { id: 4, name: 'contact_to_deal', from: contact, to: deal, inverseId: 3, label: null },
  { id: 3, name: 'deal_to_contact', from: deal, to: contact, inverseId: 4, label: null },
  { id: 341, name: 'deal_to_company_unlabeled', from: deal, to: company, inverseId: 342, label: null },
  { id: 342, name: 'company_to_deal_unlabeled', from: company, to: deal, inverseId: 341, label: null },
  { id: 5, name: 'deal_to_company', from: deal, to: company, inverseId: 6, label: 'Primary' },
  { id: 6, name: 'company_to_deal', from: company, to: deal, inverseId: 5, label: 'Primary' },
];

const byId = new Map(associationTypes.map((type) => [type.id, type]));

/** The kind with this number, when links of it begin at `from` (and end at `to`, when given). */
export function findAssociationType(id: number, from: ObjectType, to?: ObjectType): AssociationType | undefined {
  const found = byId.get(id);
  return found?.from === from.typeId && (to === undefined || found.to === to.typeId) ? found : undefined;
}

export function getAssociationType(id: number): AssociationType | undefined {
  return byId.get(id);
}

/** The plain kind between two objects; none between those that HubSpot links only by labels of the customer. */
export function defaultAssociationType(from: ObjectType, to: ObjectType): AssociationType | undefined {
  return associationTypes.find((type) => type.from === from.typeId && type.to === to.typeId);
}
