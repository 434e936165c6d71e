import type { Knex } from 'knex';
import { column, rowSource, type Column } from '../row-source';

/** Names one endpoint. */
export interface EndpointKey {
  readonly projectId: string;
  readonly endpointId: string;
}

/** An endpoint that has something to send now. */
export interface DueEndpoint extends EndpointKey {
  /** Its last attempt failed. */
  readonly isFailing: boolean;
}

export interface DueSearch {
  /** Endpoints at most. */
  readonly limit: number;
  /** Failing ones among them at most. */
  readonly failingLimit: number;
  /** Endpoints with so many messages under way have no room; a failing one has room for one. */
  readonly inFlightMax: number;
  /** Where the last search ended. */
  readonly after: EndpointKey | undefined;
}

/** A message in the hands of who claimed it. */
export interface ClaimedMessage extends EndpointKey {
  readonly messageId: string;
  /** The right to settle it. */
  readonly attempt: number;
  /** Attempts since it was made or replayed, with this one. */
  readonly tries: number;
  readonly payload: string;
  readonly url: string;
  /** Ciphertext of the endpoint's secrets. */
  readonly sealed: string;
  /** Whether the secret before the last rotation signs too. */
  readonly hasPrevious: boolean;
  readonly isFailing: boolean;
}

export interface MessageClaim {
  readonly endpoints: readonly EndpointKey[];
  /** Of each endpoint: what is claimed now, and what is under way in all processes. */
  readonly perEndpoint: number;
  readonly inFlightMax: number;
  readonly leaseMs: number;
}

/**
 * Jumps through the pending messages from endpoint to endpoint, so that a backlog of one is read as one row. Sees every project,
 * because what delivers serves them all; each row carries its project_id.
 */
export const pendingEndpoints = `recursive hops as (
    (select project_id, endpoint_id from webhook_messages where state = 'pending' order by project_id, endpoint_id limit 1)
    union all
    select n.project_id, n.endpoint_id from hops h cross join lateral (
      select m.project_id, m.endpoint_id from webhook_messages m
      where m.state = 'pending' and (m.project_id, m.endpoint_id) > (h.project_id, h.endpoint_id)
      order by m.project_id, m.endpoint_id limit 1) n)`;

/** What an endpoint has yet to get, whoever has it. */
const isOwed = `m.state = 'pending' and m.not_before <= now()`;

/** What can be sent now: nobody has it, and its moment has come. */
const isDue = `${isOwed} and (m.lease_until is null or m.lease_until <= now())`;

/** Nobody asked us to leave the endpoint `e` alone for a while. */
const isFree = `(e.held_until is null or e.held_until <= now())`;

/** Messages of the endpoint `e` that somebody is delivering, by an index of their own (`webhook_messages_leased`). */
const inFlight = `(select count(*) from webhook_messages r
  where r.project_id = e.project_id and r.endpoint_id = e.id and r.state = 'pending' and r.lease_until > now())`;

/**
 * Endpoints with a message to send, round and round: those behind `after` first. Failing ones have places of their own, so that what
 * waits for a timeout does not stand in the way of who answers.
 */
export async function findDueEndpoints(
  database: Knex,
  { limit, failingLimit, inFlightMax, after }: DueSearch,
): Promise<DueEndpoint[]> {
  const { rows } = await database.raw<{ rows: { project_id: string; id: string; is_failing: boolean }[] }>(
    `with ${pendingEndpoints},
     due as (
       select e.project_id, e.id, e.failing_since is not null as is_failing,
              (e.project_id, e.id) <= (cast(:projectId as text), cast(:endpointId as text)) as is_behind
       from hops h join webhook_endpoints e on e.project_id = h.project_id and e.id = h.endpoint_id and e.is_enabled and ${isFree}
       cross join lateral (select m.id from webhook_messages m
         where m.project_id = e.project_id and m.endpoint_id = e.id and ${isDue} order by m.not_before limit 1) ready
       where ${inFlight} < case when e.failing_since is null then cast(:inFlightMax as integer) else 1 end),
     ranked as (
       select *, row_number() over (partition by is_failing order by is_behind, project_id, id) as place from due)
     select project_id, id, is_failing from ranked where not is_failing or place <= :failingLimit
     order by is_behind, project_id, id limit :limit`,
    { projectId: after?.projectId ?? '', endpointId: after?.endpointId ?? '', limit, failingLimit, inFlightMax },
  );
  return rows.map((row) => ({ projectId: row.project_id, endpointId: row.id, isFailing: row.is_failing }));
}

const keyColumns: Column<EndpointKey>[] = [
  column('project_id', 'text', (key) => key.projectId),
  column('endpoint_id', 'text', (key) => key.endpointId),
];

interface ClaimedRow {
  project_id: string;
  endpoint_id: string;
  id: string;
  attempts: number;
  tries: number;
  payload: string;
  url: string;
  sealed_secret: string;
  has_previous: boolean;
  is_failing: boolean;
}

/**
 * Takes messages for one attempt each, oldest first, and notes the attempts: a process that dies with them leaves a trace. Who else
 * claims passes over what is locked; an endpoint's row is locked so that two do not count its room at once.
 */
export async function claimMessages(database: Knex, claim: MessageClaim): Promise<ClaimedMessage[]> {
  const input = rowSource('i', keyColumns, claim.endpoints);
  const { rows } = await database.raw<{ rows: ClaimedRow[] }>(
    `with open as materialized (
       select e.project_id, e.id, e.url, e.sealed_secret, e.failing_since is not null as is_failing,
              coalesce(e.previous_secret_until > now(), false) as has_previous
       from webhook_endpoints e
       where (e.project_id, e.id) in (select project_id, endpoint_id from ${input.sql}) and e.is_enabled and ${isFree}
       for no key update skip locked),
     chosen as materialized (
       select c.* from open e cross join lateral (
         select m.project_id, m.endpoint_id, m.id from webhook_messages m
         where m.project_id = e.project_id and m.endpoint_id = e.id and ${isDue}
         order by m.not_before
         limit least(?::integer, greatest(0, ?::integer - ${inFlight}))
         for update skip locked) c),
     claimed as (
       update webhook_messages m set attempts = m.attempts + 1, tries = m.tries + 1,
              lease_until = clock_timestamp() + make_interval(secs => ?::float8 / 1000)
       from chosen c where m.project_id = c.project_id and m.endpoint_id = c.endpoint_id and m.id = c.id
       returning m.project_id, m.endpoint_id, m.id, m.attempts, m.tries, m.payload),
     noted as (
       insert into webhook_attempts (project_id, endpoint_id, message_id, number, started_at)
       select project_id, endpoint_id, id, attempts, clock_timestamp() from claimed)
     select c.*, e.url, e.sealed_secret, e.has_previous, e.is_failing
     from claimed c join open e on e.project_id = c.project_id and e.id = c.endpoint_id`,
    [...input.bindings, claim.perEndpoint, claim.inFlightMax, claim.leaseMs] as Knex.Value[],
  );
  return rows.map((row) => ({
    projectId: row.project_id,
    endpointId: row.endpoint_id,
    messageId: row.id,
    attempt: row.attempts,
    tries: row.tries,
    payload: row.payload,
    url: row.url,
    sealed: row.sealed_secret,
    hasPrevious: row.has_previous,
    isFailing: row.is_failing,
  }));
}

/** How late deliveries are, in seconds; 0: nothing waits. */
export interface DeliveryLateness {
  /** How long ago the oldest message came due that nobody has. */
  readonly oldestDue: number;
  /**
   * How long an endpoint with a message that has come due has got nothing, whoever has the message: its backlog, however old, does not
   * count while it is served.
   */
  readonly longestUnserved: number;
}

/** Endpoints whose last attempt failed, counted up to `limit`. */
export async function countFailing(database: Knex, limit: number): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ failing: number }] }>(
    `select count(*)::integer as failing from (
       select project_id from webhook_endpoints where failing_since is not null and is_enabled limit :limit) e`,
    { limit },
  );
  return rows[0].failing;
}

/**
 * How late deliveries are. An endpoint that fails has one message under way, so what is behind it says nothing of who delivers; nor does
 * what waits for one that asked for a pause. What is claimed again and again, because no delivery of it can be settled, is not served.
 */
export async function deliveryLateness(database: Knex): Promise<DeliveryLateness> {
  const { rows } = await database.raw<{ rows: [{ oldest_due: number; longest_unserved: number }] }>(
    `with ${pendingEndpoints}
     select coalesce(max(extract(epoch from now() - m.not_before)), 0)::float8 as oldest_due,
            coalesce(max(extract(epoch from now() - greatest(o.not_before, e.served_at, e.held_until))), 0)::float8 as longest_unserved
     from hops h join webhook_endpoints e on e.project_id = h.project_id and e.id = h.endpoint_id
       and e.is_enabled and e.failing_since is null and ${isFree}
     cross join lateral (select m.not_before from webhook_messages m
       where m.project_id = e.project_id and m.endpoint_id = e.id and ${isOwed} order by m.not_before limit 1) o
     left join lateral (select m.not_before from webhook_messages m
       where m.project_id = e.project_id and m.endpoint_id = e.id and ${isDue} order by m.not_before limit 1) m on true`,
  );
  const [{ oldest_due, longest_unserved }] = rows;
  return { oldestDue: oldest_due, longestUnserved: longest_unserved };
}
