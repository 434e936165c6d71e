import type { WriteType } from '@sluice/types';
import { type Column, column } from '../row-source';
import { plain } from '../table';

/** Names one operation, as long as it takes records an auto-batch. */
export interface OperationKey {
  readonly projectId: string;
  readonly operationId: string;
}

/** Names one call. Together with its fence it is the right to settle. */
export interface CallKey extends OperationKey {
  readonly number: number;
}

/** What an accept relied on. Compared in SQL with what is current, so that a change is in force for the next request. */
export interface Pins {
  readonly installationId: string;
  readonly configId: string;
  readonly connectionId: string;
  /** Latest revision of the integration: the manifest in force. */
  readonly revisionId: string;
  /** API key that authorised the request, or the JWT key of its token. */
  readonly keyId: string;
}

export type OperationMode = 'synchronous' | 'asynchronous' | 'auto-batched';

/** An operation about to be opened. */
export interface NewOperation {
  readonly projectId: string;
  /** uuid v7, made by the gateway, so that a commit of unknown outcome can be looked up. */
  readonly id: string;
  readonly integrationId: string;
  readonly laneId: string;
  readonly objectName: string;
  readonly type: WriteType;
  readonly mode: OperationMode;
  readonly allOrNone: boolean;
  readonly traceparent: string;
  readonly pins: Pins;
}

/** A record about to be stored with its plan. */
export interface NewRecord {
  /** Index in its operation, from 0; for an auto-batch decided by the join. */
  readonly index: number;
  /** Call of a single or batch write, from 1. */
  readonly callNumber: number;
  readonly ref?: string;
  /** What writes to one provider record have in common. Absent for creates, which are unordered. */
  readonly orderKey?: string;
  /** Hash of the forwarded headers: records of one call have equal ones. Empty: none. */
  readonly headersKey: string;
  /** JSON of the write plan. */
  readonly plan: string;
  /** How long after acceptance (in an auto-batch: after the seal) it is retried, in unscaled milliseconds. */
  readonly retryMs: number;
}

/** As it is stored. */
export function scaledRetryMs({ retryMs }: Pick<NewRecord, 'retryMs'>, timeScale: number): number {
  return Math.round(retryMs / timeScale);
}

/** Size of what is to be sent, in bytes. */
export function bytesOfPlans(records: readonly Pick<NewRecord, 'plan'>[]): number {
  return records.reduce((bytes, { plan }) => bytes + Buffer.byteLength(plan), 0);
}

/** As the backlog counts a call: rounded up, at least 1. */
export function kilobytes(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / 1_000));
}

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
export const targetColumns: readonly Column<NewOperation>[] = [
  column('project_id', 'text', (o) => o.projectId),
  column('integration_id', 'text', (o) => o.integrationId),
  column('installation_id', 'text', (o) => o.pins.installationId),
  column('config_id', 'text', (o) => o.pins.configId),
  column('connection_id', 'text', (o) => o.pins.connectionId),
];
/** Compared only, and stored in no row. */
export const guardColumns: readonly Column<NewOperation>[] = [
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

/** SQL: the beginning of an insert of operations whose calls are known. */
export const insertOperationsSql = insertOperations('');
/** The same for one that writes records of another again. */
export const insertReplaySql = insertOperations(', replay_of');
/** SQL: the beginning of an insert of records whose connection is that of their operation. */
export const insertRecordsSql = `insert into records (project_id, operation_id, record_index, ref, accept_seq, order_key,
  traceparent, config_id, headers_key, plan, retry_ms)`;

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

/** Identifies a call in a set. */
export function callId(call: CallKey): string {
  return `${call.projectId}/${call.operationId}/${call.number}`;
}

/** Members of a table whose rows name a call. */
export const callKeyMembers = {
  projectId: plain('project_id'),
  operationId: plain('operation_id'),
  number: plain<number>('number'),
};

/** A row that names a call, as Postgres returns it. */
export interface CallKeyRow {
  readonly project_id: string;
  readonly operation_id: string;
  readonly number: number;
}

export function toCallKey(row: CallKeyRow): CallKey {
  return { projectId: row.project_id, operationId: row.operation_id, number: row.number };
}

/**
 * SQL condition: a record is in a call of the same operation. Each record is in one from the accept or the seal until it has an outcome, and it
 * leaves in the transaction of that outcome. So the records of a call are its unfinished ones. The bounds come first: with them a
 * range of the key is read, not the whole operation.
 * @param record alias of `records`
 * @param call alias of `calls`
 */
export function isInCall(record: string, call: string): string {
  const bounds = `coalesce(${call}.members[1], 0) and coalesce(${call}.members[cardinality(${call}.members)], 2147483647)`;
  return `${record}.record_index between ${bounds}
    and (${call}.members is null or ${record}.record_index = any(${call}.members))`;
}

/** SQL: until when a record of a call is tried again. */
export function deadlineSql(record: string, call: string): string {
  return `${call}.base_at + make_interval(secs => ${record}.retry_ms / 1000.0)`;
}

/** `members` of a call, as an array that Postgres reads. */
export function membersText(indexes: readonly number[]): string {
  return `{${indexes.toSorted((a, b) => a - b).join(',')}}`;
}

/** The columns that name an operation in a statement over many. */
export const operationKeyColumns: readonly Column<OperationKey>[] = [
  column('project_id', 'text', (operation) => operation.projectId),
  column('operation_id', 'text', (operation) => operation.operationId),
];

/** The columns that name a call in a statement over many calls. */
export const callKeyColumns: readonly Column<CallKey>[] = [
  ...operationKeyColumns,
  column('number', 'integer', (call) => call.number),
];

function insertOperations(more: string): string {
  return `insert into operations (project_id, id, integration_id, installation_id, config_id,
  connection_id, lane_id, object_name, type, mode, state, records_total, calls_open, traceparent${more})`;
}
