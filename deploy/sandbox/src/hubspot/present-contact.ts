import type { Contact } from './contact';
import { allValues, isKnownProperty, propertyValue } from './computed-properties';

/** A contact as HubSpot shows it. Every value is a string, null stands for asked for but unset. */
export interface WireContact {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: false;
  readonly url: string;
}

/** Always in a read reply, whatever was asked for. */
const alwaysShown = ['createdate', 'hs_object_id', 'lastmodifieddate'];

/** Shown when a read names no properties. */
const shownByDefault = ['email', 'firstname', 'lastname', ...alwaysShown];

/** In the reply to an update, beside what was sent. Source: recorded batch update replies. */
const shownAfterUpdate = [
  ...alwaysShown,
  'hs_is_unworked',
  'hs_object_source',
  'hs_object_source_id',
  'hs_object_source_label',
  'hs_pipeline',
  'lifecyclestage',
];

/** Reply to a create: everything that is set, computed properties included, sorted by name. */
export function presentCreated(contact: Contact, portalId: number): WireContact {
  return wire(contact, portalId, allValues(contact));
}

/** Reply to an update: the properties that were sent (a cleared one as `''`) and a few computed ones. */
export function presentUpdated(
  contact: Contact,
  portalId: number,
  sent: Readonly<Record<string, string>>,
): WireContact {
  const shown = [...shownAfterUpdate, ...Object.keys(sent)];
  return wire(contact, portalId, Object.fromEntries(shown.map((name) => [name, propertyValue(contact, name) ?? ''])));
}

/** Reply to a read or a search. Unknown names in `asked` are left out. */
export function presentRead(contact: Contact, portalId: number, asked: readonly string[]): WireContact {
  const shown = asked.length ? [...alwaysShown, ...asked.filter(isKnownProperty)] : shownByDefault;
  return wire(contact, portalId, Object.fromEntries(shown.map((name) => [name, propertyValue(contact, name) ?? null])));
}

function wire(contact: Contact, portalId: number, values: Readonly<Record<string, string | null>>): WireContact {
  return {
    id: contact.id,
    properties: Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    createdAt: contact.createdAt.toISOString(),
    updatedAt: contact.updatedAt.toISOString(),
    archived: false,
    url: `https://app.hubspot.com/contacts/${portalId}/record/0-1/${contact.id}`,
  };
}
