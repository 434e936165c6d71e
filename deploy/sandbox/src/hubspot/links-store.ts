import { getAssociationType } from './association-types';

/** A link as it is written: from one record to another, of one kind. Record ids are unique over all objects. */
export interface Link {
  readonly fromId: string;
  readonly toId: string;
  readonly typeId: number;
}

/** One side of the links between two records. */
export interface LinkedRecord {
  readonly toId: string;
  /** Kinds seen from the side that was asked, in the order they were added. */
  readonly typeIds: readonly number[];
}

/** The links of one account. Each is kept in both directions, so that either record shows the other. */
export class LinksStore {
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
