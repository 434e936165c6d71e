import type { AccountChange, AccountData, ShownRecord } from '../control/imitated-provider';
import { getAssociationType } from './association-types';
import type { CrmRecord } from './crm-record';
import { findObjectType, objectTypes } from './property-metadata';
import type { ObjectType } from './objects/object-type';
import { type RecordIds, RecordsStore } from './records-store';
import { allValues } from './present-record';

/** What a HubSpot account leaves in the journal: a record as it is after a write, or links that came or went. */
interface PortalChange extends AccountChange {
  readonly object?: string;
  readonly record?: Omit<CrmRecord, 'createdAt' | 'updatedAt' | 'archivedAt'> &
    Readonly<{ createdAt: string; updatedAt: string; archivedAt?: string }>;
  readonly linked?: Link;
  readonly unlinked?: Omit<Link, 'typeId'>;
}

/** The records and links of one HubSpot account, with a note of everything that changes them. */
export class PortalData implements AccountData {
  private stores = new Map<ObjectType, RecordsStore>();
  private links = new LinksStore();
  private changes: PortalChange[] = [];

  constructor(private readonly ids: RecordIds) {
    this.clear();
  }

  records(type: ObjectType): RecordsStore {
    const store = this.stores.get(type);
    if (!store) throw new TypeError(`No store of ${type.name}`);
    return store;
  }

  /** A live record of any object. */
  find(id: string): { readonly type: ObjectType; readonly record: CrmRecord } | undefined {
    for (const store of this.stores.values()) {
      const record = store.find(id);
      if (record) return { type: store.type, record };
    }
    return undefined;
  }

  /** @param counts whether the ledger counts it as a write of its own: not for a link that comes along with a record */
  link({ fromId, toId, typeId }: Link, counts: boolean): void {
    const linked = { fromId: this.liveId(fromId), toId: this.liveId(toId), typeId };
    this.links.add(linked);
    this.changes.push({ ...(counts ? { recordId: linked.fromId } : {}), linked });
  }

  /** Does nothing where there is no link. */
  unlink(fromId: string, toId: string): void {
    const unlinked = { fromId: this.liveId(fromId), toId: this.liveId(toId) };
    if (this.links.remove(unlinked.fromId, unlinked.toId)) this.changes.push({ recordId: unlinked.fromId, unlinked });
  }

  /** Takes every link of one record over to another. */
  moveLinks(fromId: string, newFromId: string): void {
    for (const { toId, typeIds } of this.links.of(fromId)) {
      this.links.remove(fromId, toId);
      this.changes.push({ unlinked: { fromId, toId } });
      for (const typeId of typeIds) this.link({ fromId: newFromId, toId, typeId }, false);
    }
  }

  /** Live records of an object that a record is linked to. */
  linked(fromId: string, to: ObjectType): { readonly toId: string; readonly typeIds: readonly number[] }[] {
    return this.links.of(this.liveId(fromId)).filter(({ toId }) => this.records(to).find(toId) !== undefined);
  }

  takeChanges(): readonly AccountChange[] {
    const taken = this.changes;
    this.changes = [];
    return taken;
  }

  fieldsOf({ record }: PortalChange): Readonly<Record<string, unknown>> {
    return record?.properties ?? {};
  }

  restore(change: PortalChange): void {
    const type = change.object === undefined ? undefined : findObjectType(change.object);
    if (type && change.record) this.records(type).restore(withMoments(change.record));
    if (change.linked) this.links.add(change.linked);
    if (change.unlinked) this.links.remove(change.unlinked.fromId, change.unlinked.toId);
  }

  clear(): void {
    const written = (type: ObjectType, record: CrmRecord): void => {
      this.changes.push({ recordId: record.id, object: type.name, record: withTexts(record) });
    };
    this.stores = new Map(objectTypes.map((type) => [type, new RecordsStore(type, this.ids, written)]));
    this.links = new LinksStore();
    this.changes = [];
  }

  objects(): readonly string[] {
    return objectTypes.map((type) => type.name);
  }

  count(object: string): number {
    const type = findObjectType(object);
    return type ? this.records(type).all().length : 0;
  }

  list(object: string, latest = Infinity): readonly ShownRecord[] | undefined {
    const type = findObjectType(object);
    const records = type && this.records(type).all().slice(-latest);
    return type && records?.map((record) => this.shown(type, record));
  }

  /** The id under which a record lives, when it was merged into another. */
  private liveId(id: string): string {
    return this.find(id)?.record.id ?? id;
  }

  private shown(type: ObjectType, record: CrmRecord): ShownRecord {
    const associations = objectTypes.flatMap((to) => this.linked(record.id, to).map((link) => shownLink(to, link)));
    return {
      ...withTexts(record),
      properties: allValues(type, record),
      ...(associations.length > 0 ? { associations } : {}),
    };
  }
}

function shownLink(to: ObjectType, { toId, typeIds }: { readonly toId: string; readonly typeIds: readonly number[] }) {
  return { object: to.name, id: toId, types: typeIds.map((id) => ({ id, name: getAssociationType(id)?.name ?? '' })) };
}

function withTexts({ archivedAt, ...record }: CrmRecord) {
  const moments = { createdAt: record.createdAt.toISOString(), updatedAt: record.updatedAt.toISOString() };
  return { ...record, ...moments, ...(archivedAt ? { archivedAt: archivedAt.toISOString() } : {}) };
}

function withMoments({ archivedAt, ...record }: NonNullable<PortalChange['record']>): CrmRecord {
  const moments = { createdAt: new Date(record.createdAt), updatedAt: new Date(record.updatedAt) };
  return { ...record, ...moments, ...(archivedAt === undefined ? {} : { archivedAt: new Date(archivedAt) }) };
}

/** A link as it is written: from one record to another, of one kind. Record ids are unique over all objects. */
export interface Link {
  readonly fromId: string;
  readonly toId: string;
  readonly typeId: number;
}

/** One side of the links between two records. */
interface LinkedRecord {
  readonly toId: string;
  /** Kinds seen from the side that was asked, in the order they were added. */
  readonly typeIds: readonly number[];
}

/** The links of one account. Each is kept in both directions, so that either record shows the other. */
class LinksStore {
  private readonly byFrom = new Map<string, Map<string, Set<number>>>();

  add({ fromId, toId, typeId }: Link): void {
    this.kinds(fromId, toId).add(typeId);
    const inverse = getAssociationType(typeId)?.inverseId;
    if (inverse !== undefined) this.kinds(toId, fromId).add(inverse);
  }

  /** Removes every link between two records. @returns false when there was none */
  remove(fromId: string, toId: string): boolean {
    this.byFrom.get(toId)?.delete(fromId);
    return this.byFrom.get(fromId)?.delete(toId) ?? false;
  }

  /** What a record is linked to, in the order of linking. */
  of(fromId: string): LinkedRecord[] {
    return [...(this.byFrom.get(fromId) ?? [])].map(([toId, typeIds]) => ({ toId, typeIds: [...typeIds] }));
  }

  private kinds(fromId: string, toId: string): Set<number> {
    const targets = this.byFrom.get(fromId) ?? new Map<string, Set<number>>();
    this.byFrom.set(fromId, targets);
    const kinds = targets.get(toId) ?? new Set<number>();
    targets.set(toId, kinds);
    return kinds;
  }
}
