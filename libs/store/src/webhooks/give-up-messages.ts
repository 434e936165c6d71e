import type { Knex } from 'knex';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { pendingEndpoints, type EndpointKey } from './claim-messages';

/** Messages that one statement gives up: the statement stays far from its limit. */
const messagesPerPass = 1_000;

/**
 * Fails pending messages of the endpoints that a CTE `closed` has locked, oldest first. Enabling an endpoint waits for the lock:
 * what is pending after that is sent.
 */
const giveUpSql = `waiting as materialized (
    select w.* from closed e cross join lateral (
      select m.project_id, m.endpoint_id, m.id from webhook_messages m
      where m.project_id = e.project_id and m.endpoint_id = e.id and m.state = 'pending'
      order by m.not_before limit :limit for update) w
    limit :limit),
  given_up as (
    update webhook_messages m set state = 'failed', ended_at = now(), lease_until = null
    from waiting w where m.project_id = w.project_id and m.endpoint_id = w.endpoint_id and m.id = w.id returning m.id)
  select count(*)::integer as given_up from given_up`;

/**
 * What is pending for an endpoint that is disabled has failed: the caller that enables it chooses from when it is sent again (replay). In passes,
 * after the transaction that disables: it stays disabled whatever waits, and a process that dies here leaves the rest to `giveUpDisabled`.
 */
export async function giveUpPending(database: Knex, { projectId, endpointId }: EndpointKey): Promise<void> {
  const closed = `closed as materialized (
    select project_id, id from webhook_endpoints
    where project_id = :projectId and id = :endpointId and not is_enabled for no key update)`;
  const bindings = { projectId, endpointId, limit: messagesPerPass };
  const pass = () => countOf(database, `with ${closed}, ${giveUpSql}`, bindings);
  while ((await guard(pass, refusedStatement)) === messagesPerPass);
}

/**
 * The same for all endpoints that are disabled: also messages of changes that did not see that yet.
 * @returns how many; at `limit` there may be more
 */
export async function giveUpDisabled(database: Knex, limit: number): Promise<number> {
  const closed = `closed as materialized (
    select e.project_id, e.id from webhook_endpoints e
    where (e.project_id, e.id) in (select project_id, endpoint_id from hops) and not e.is_enabled
    for no key update skip locked)`;
  return await countOf(database, `with ${pendingEndpoints}, ${closed}, ${giveUpSql}`, { limit });
}

async function countOf(database: Knex, sql: string, bindings: Record<string, Knex.Value>): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ given_up: number }] }>(sql, bindings);
  return rows[0].given_up;
}
