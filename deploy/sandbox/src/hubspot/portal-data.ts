import type { AccountChange, ShownRecord } from '../control/imitated-provider';
import type { Action as CrmAction, ApiCall } from '../crm/api-call';
import { RecordStore } from '../crm/record-store';
import { allValues, type CrmRecord, type ObjectType } from './object-type';
import { findObjectType, getAssociationType, getObjectType, objectTypes } from './objects';

/** One admitted call of a HubSpot account. */
export interface PortalCall extends ApiCall {
  readonly portalId: number;
  readonly data: PortalData;
  /** How far search lags behind writes, in milliseconds. */
  readonly searchLagMs: number;
}

/** A call on the records of one object. */
export interface ObjectCall extends PortalCall {
  readonly type: ObjectType;
}

/** A call on the links from one object to another. */
export interface PairCall extends PortalCall {
  readonly from: ObjectType;
  readonly to: ObjectType;
}

export type Action<Call extends PortalCall = PortalCall> = CrmAction<Call>;

/** A link as it is written: from one record to another, of one type. Record ids are unique over all objects. */
interface Link {
  readonly fromId: string;
  readonly toId: string;
  readonly typeId: number;
}

/** One side of the links between two records. */
interface LinkedRecord {
  readonly toId: string;
  /** Types of link from the requested side, in the order they were added. */
  readonly typeIds: readonly number[];
}

/** What a HubSpot account leaves in the journal: a record as it is after a write, or links that came or went. */
interface PortalChange extends AccountChange {
  readonly record?: CrmRecord;
  readonly linked?: Link;
  readonly unlinked?: Omit<Link, 'typeId'>;
}

/** The records and links of one HubSpot account, and what search sees of them. */
export class PortalData extends RecordStore<string> {
  private links = new LinksStore();
  private index = new SearchIndex();

  objects(): readonly string[] {
    return objectTypes.map((type) => type.name);
  }

  /** A live record of an object, also under an id that was merged into it. */
  findOf(type: ObjectType, id: string): CrmRecord | undefined {
    const record = this.findLive(id);
    return record?.type === type.name ? record : undefined;
  }

  /** Records of an object that search finds now, oldest first. */
  searchable(type: ObjectType, now: Date, lagMs: number): CrmRecord[] {
    return this.index.visible(now, lagMs).filter((record) => record.type === type.name);
  }

  /**
   * Lets `primary` take over what it lacks, what is unique to `other` and its links; the id of `other` then refers to it.
   * @returns the new primary
   */
  merge(primary: CrmRecord, other: CrmRecord, at: Date): CrmRecord {
    for (const { toId, typeIds } of this.links.of(other.id)) {
      this.links.remove(other.id, toId);
      this.changes.push({ unlinked: { fromId: other.id, toId } });
      for (const typeId of typeIds) this.link({ fromId: primary.id, toId, typeId }, false);
    }
    this.remove(other, at, primary.id);
    return this.update(primary, { ...other.fields, ...primary.fields }, at);
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

  /** Live records of an object that a record is linked to. */
  linked(fromId: string, to: ObjectType): LinkedRecord[] {
    return this.links.of(this.liveId(fromId)).filter(({ toId }) => this.findOf(to, toId) !== undefined);
  }

  override restore(change: PortalChange): void {
    const { record, linked, unlinked } = change;
    if (record) this.put(record);
    if (linked) this.links.add(linked);
    if (unlinked) this.links.remove(unlinked.fromId, unlinked.toId);
  }

  override clear(): void {
    super.clear();
    this.links = new LinksStore();
    this.index = new SearchIndex();
  }

  protected findType(object: string): string | undefined {
    return findObjectType(object)?.name;
  }

  protected uniqueFields(type: string): readonly string[] {
    return getObjectType(type).unique;
  }

  protected comparable(value: string): string {
    return value.trim().toLowerCase();
  }

  protected shown(record: CrmRecord): ShownRecord {
    const { id, createdAt, updatedAt } = record;
    const properties = allValues(getObjectType(record.type), record);
    const associations = objectTypes.flatMap((to) => this.linked(id, to).map((link) => shownLink(to, link)));
    return { id, properties, createdAt, updatedAt, ...(associations.length > 0 ? { associations } : {}) };
  }

  protected override replace(id: string, record: CrmRecord | undefined): void {
    super.replace(id, record);
    if (record) this.index.changed(record);
  }

  /** The id under which a record lives, when it was merged into another. */
  private liveId(id: string): string {
    return this.findLive(id)?.id ?? id;
  }
}

function shownLink(to: ObjectType, { toId, typeIds }: LinkedRecord) {
  return { object: to.name, id: toId, types: typeIds.map((id) => ({ id, name: getAssociationType(id)?.name ?? '' })) };
}

/** The links of one account. Each is stored in both directions, so that either record shows the other. */
class LinksStore {
  private readonly byFrom = new Map<string, Map<string, Set<number>>>();

  add({ fromId, toId, typeId }: Link): void {
    this.types(fromId, toId).add(typeId);
    const inverse = getAssociationType(typeId)?.inverseId;
    if (inverse !== undefined) this.types(toId, fromId).add(inverse);
  }

  /** Removes every link between two records. @returns false when there was none */
  remove(fromId: string, toId: string): boolean {
    this.byFrom.get(toId)?.delete(fromId);
    return this.byFrom.get(fromId)?.delete(toId) ?? false;
  }

  /** The links of a record, in the order of linking. */
  of(fromId: string): LinkedRecord[] {
    return [...(this.byFrom.get(fromId) ?? [])].map(([toId, typeIds]) => ({ toId, typeIds: [...typeIds] }));
  }

  private types(fromId: string, toId: string): Set<number> {
    const targets = this.byFrom.get(fromId) ?? new Map<string, Set<number>>();
    this.byFrom.set(fromId, targets);
    const types = targets.get(toId) ?? new Set<number>();
    targets.set(toId, types);
    return types;
  }
}

/**
 * What search sees: the records as they were `lagMs` ago. Reads by id and batch reads do not go through it.
 * Source: docs/contributing/providers.md, A5, index lag.
 */
class SearchIndex {
  private readonly indexed = new Map<string, CrmRecord>();
  private pending: CrmRecord[] = [];

  changed(record: CrmRecord): void {
    this.pending.push(record);
  }

  visible(now: Date, lagMs: number): CrmRecord[] {
    const settled = new Date(now.getTime() - lagMs).toISOString();
    const later = this.pending.findIndex(({ updatedAt }) => updatedAt > settled);
    const due = later === -1 ? this.pending.length : later;
    for (const record of this.pending.slice(0, due)) {
      if (record.isDeleted) this.indexed.delete(record.id);
      else this.indexed.set(record.id, record);
    }
    this.pending = this.pending.slice(due);
    return [...this.indexed.values()];
  }
}
