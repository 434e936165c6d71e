import type { CrmRecord } from './crm-record';
import type { ObjectType } from './objects/object-type';

/** A record as HubSpot shows it. Every value is a string, null stands for asked for but unset. */
export interface WireRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
  readonly archivedAt?: string;
  readonly url: string;
}

/** Shows the records of one object in one account. */
interface Presenter {
  readonly type: ObjectType;
  readonly portalId: number;
}

/** Reply to a create: everything that is set, computed properties included, sorted by name. */
export function presentCreated(presenter: Presenter, record: CrmRecord): WireRecord {
  return wire(presenter, record, allValues(presenter.type, record));
}

/** Reply to an update: the properties that were sent (a cleared one as `''`) and a few computed ones. */
export function presentUpdated(
  presenter: Presenter,
  record: CrmRecord,
  sent: Readonly<Record<string, string>>,
): WireRecord {
  const { type } = presenter;
  const shown = [...type.alwaysShown, ...type.shownAfterUpdate, ...Object.keys(sent)];
  const values = shown.map((name) => [name, propertyValue(type, record, name) ?? '']);
  return wire(presenter, record, Object.fromEntries(values));
}

/** Reply to a read or a search. Unknown names in `asked` are left out. */
export function presentRead(presenter: Presenter, record: CrmRecord, asked: readonly string[]): WireRecord {
  const { type } = presenter;
  const wanted = asked.length ? asked.filter((name) => type.properties.has(name)) : type.shownByDefault;
  const values = [...type.alwaysShown, ...wanted].map((name) => [name, propertyValue(type, record, name) ?? null]);
  return wire(presenter, record, Object.fromEntries(values));
}

function wire(
  { type, portalId }: Presenter,
  record: CrmRecord,
  values: Readonly<Record<string, string | null>>,
): WireRecord {
  const { archivedAt } = record;
  return {
    id: record.id,
    properties: Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    createdAt: record.createdAt.toISOString(),
    updatedAt: record.updatedAt.toISOString(),
    archived: archivedAt !== undefined,
    ...(archivedAt ? { archivedAt: archivedAt.toISOString() } : {}),
    url: `https://app.hubspot.com/contacts/${portalId}/record/${type.typeId}/${record.id}`,
  };
}

/** The value of any property of a record; undefined when unset. */
export function propertyValue({ computed }: ObjectType, record: CrmRecord, name: string): string | undefined {
  return computed[name]?.(record) ?? record.properties[name];
}

/** Every set property, own and computed. */
export function allValues(type: ObjectType, record: CrmRecord): Record<string, string> {
  const values: Record<string, string> = { ...record.properties };
  for (const name of Object.keys(type.computed)) {
    const value = propertyValue(type, record, name);
    if (value !== undefined) values[name] = value;
  }
  return values;
}
