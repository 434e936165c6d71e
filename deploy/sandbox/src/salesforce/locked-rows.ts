import type { ReceivedCall } from '../control/imitated-provider';
import { carriedFields, matchRoute } from './match-route';
import { toLongId } from './record-ids';
import type { RecordStore } from './record-store';
import { member } from './request-body';

/** Fields that point to a parent, whose row is locked with its child's. Source: Salesforce's record locking cheat sheet (D). */
const parents = ['AccountId', 'ReportsToId', 'ParentId'];

/** Rows that each record of a write locks: itself, and its parents before and after. None for a read. */
export function lockedRows(store: RecordStore, call: ReceivedCall): readonly (readonly string[])[] {
  const found = matchRoute(call);
  if (!found?.route || !/(create|update|upsert|delete)/.test(found.route.name)) return [];
  return carriedFields(call).map((fields) => {
    const id = idIn(member(fields, 'id') ?? found.params.id);
    const current = id === undefined ? undefined : store.find(id);
    const pointed = parents.flatMap((name) => [member(fields, name), current?.fields[name]]);
    return [...new Set([id, ...pointed.map(idIn)].filter((row) => row !== undefined))];
  });
}

const idIn = (value: unknown): string | undefined => (typeof value === 'string' ? toLongId(value) : undefined);
