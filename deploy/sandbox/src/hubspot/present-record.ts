import { allValues, propertyValue, type CrmRecord, type ObjectType } from './object-type';
import type { Values } from './properties';

/** A record in a HubSpot reply. Every value is a string, null stands for requested but unset. */
export interface WireRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
  readonly archivedAt?: string;
  readonly url: string;
}

/** Presents the records of one object in one account. */
interface Presenter {
  readonly type: ObjectType;
  readonly portalId: number;
}

/** Reply to a create: everything that is set, computed properties included, sorted by name. */
export function presentCreated(presenter: Presenter, record: CrmRecord): WireRecord {
  return wire(presenter, record, allValues(presenter.type, record));
}

/** Reply to an update: the properties that were sent (a cleared one as `''`) and a few computed ones. */
export function presentUpdated(presenter: Presenter, record: CrmRecord, sent: Values): WireRecord {
  const { type } = presenter;
  const shown = [...type.alwaysShown, ...type.shownAfterUpdate, ...Object.keys(sent)];
  const values = shown.map((name) => [name, propertyValue(type, record, name) ?? '']);
  return wire(presenter, record, Object.fromEntries(values));
}

/** Reply to a read or a search. Unknown names in `requested` are left out. */
export function presentRead(presenter: Presenter, record: CrmRecord, requested: readonly string[]): WireRecord {
  const { type } = presenter;
  const wanted = requested.length ? requested.filter((name) => type.properties.has(name)) : type.shownByDefault;
  const values = [...type.alwaysShown, ...wanted].map((name) => [name, propertyValue(type, record, name) ?? null]);
  return wire(presenter, record, Object.fromEntries(values));
}

function wire({ type, portalId }: Presenter, record: CrmRecord, values: WireRecord['properties']): WireRecord {
  const { id, createdAt, updatedAt, isDeleted } = record;
  return {
    id,
    properties: Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    createdAt,
    updatedAt,
    archived: isDeleted,
    ...(isDeleted ? { archivedAt: updatedAt } : {}),
    url: `https://app.hubspot.com/contacts/${portalId}/record/${type.typeId}/${id}`,
  };
}
