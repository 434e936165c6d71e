import { column, type Column } from '../row-source';
import type { NewOperation } from './write-rows';

/**
 * What writes of one flush have in common, usually all of them: where they go, and what their plans were made from.
 * It travels and is compared once per flush instead of once per write.
 */
export interface WriteSources {
  /** One operation of each source. */
  readonly sources: readonly NewOperation[];
  /** Source of each operation, from 1, as `ord` counts them. */
  readonly sourceOf: readonly number[];
}

/** The target of a write, for its rows and for its pins. */
const targetColumns: readonly Column<NewOperation>[] = [
  column('project_id', 'text', (o) => o.projectId),
  column('integration_id', 'text', (o) => o.integrationId),
  column('installation_id', 'text', (o) => o.pins.installationId),
  column('config_id', 'text', (o) => o.pins.configId),
  column('connection_id', 'text', (o) => o.pins.connectionId),
];
/** Compared only, and stored in no row. */
const guardColumns: readonly Column<NewOperation>[] = [
  column('revision_id', 'text', (o) => o.pins.revisionId),
  column('key_id', 'text', (o) => o.pins.keyId),
];
const kindColumns: readonly Column<NewOperation>[] = [
  column('lane_id', 'text', (o) => o.laneId),
  column('object_name', 'text', (o) => o.objectName),
  column('type', 'text', (o) => o.type),
  column('mode', 'text', (o) => o.mode),
  column('all_or_none', 'boolean', (o) => o.allOrNone),
];

/** All that `pinsAreCurrent` compares. */
export const pinColumns = [...targetColumns, ...guardColumns];
/** All that the rows of a write take from its source. */
export const rowColumns = [...targetColumns, ...kindColumns];
export const sourceColumns = [...pinColumns, ...kindColumns];

/** SQL condition: integration and key are those that the plan was made from. One lookup of a primary key each. */
export function integrationAndKeyAreCurrent(alias: string): string {
  return `
  (select g.latest_revision_id from integrations g
   where g.project_id = ${alias}.project_id and g.id = ${alias}.integration_id) = ${alias}.revision_id
  and coalesce((select k.active from api_keys k where k.project_id = ${alias}.project_id and k.id = ${alias}.key_id),
               (select j.active from jwt_keys j where j.project_id = ${alias}.project_id and j.id = ${alias}.key_id), false)`;
}

/**
 * SQL condition: what the plan was made from is still current. Scalar subqueries, because Postgres may
 * read a whole table for an `exists` of many rows: that of all installations, at each accept.
 * @param alias the row with the pins
 */
export function pinsAreCurrent(alias: string): string {
  return `
  (select n.config_id = ${alias}.config_id and n.connection_id = ${alias}.connection_id from installations n
   where n.project_id = ${alias}.project_id and n.id = ${alias}.installation_id)
  and ${integrationAndKeyAreCurrent(alias)}`;
}

export function groupBySource(operations: readonly NewOperation[]): WriteSources {
  const sources: NewOperation[] = [];
  const known = new Map<string, number>();
  const sourceOf = operations.map((operation) => {
    const name = nameOf(operation);
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, sources.push(operation));
    return sources.length;
  });
  return { sources, sourceOf };
}

/** Equal for equal sources: none of the ids holds a control character. */
export function nameOf({ pins, ...o }: NewOperation): string {
  const { installationId, configId, connectionId, revisionId, keyId } = pins;
  const pinned = `${installationId}\n${configId}\n${connectionId}\n${revisionId}\n${keyId}`;
  return `${o.projectId}\n${pinned}\n${o.laneId}\n${o.type}\n${o.mode}\n${o.allOrNone}\n${o.objectName}`;
}
