import type { WebhookKind } from '@sluice/types';
import type { Knex } from 'knex';
import { column, rowSource } from '../row-source';
import { plain, table, type StoredRow } from '../table';

/** Names one endpoint. */
export interface EndpointKey {
  readonly projectId: string;
  readonly endpointId: string;
}

/** An endpoint that has something to send now. */
const dueEndpoints = table({
  projectId: plain('project_id'),
  endpointId: plain('id'),
  /** Its last attempt failed. */
  isFailing: plain<boolean>('is_failing'),
});

export type DueEndpoint = ReturnType<typeof dueEndpoints.read>;

export interface DueSearch {
  /** Endpoints at most. */
  readonly limit: number;
  /** Failing ones among them at most. */
  readonly failingLimit: number;
  /** An endpoint has at most so many messages under way; a failing one has one. */
  readonly inFlightMax: number;
  /** The last endpoint of the search before. */
  readonly after: EndpointKey | undefined;
}

/** A message under the lease of who claimed it. */
const claimedMessages = table({
  projectId: plain('project_id'),
  endpointId: plain('endpoint_id'),
  messageId: plain('id'),
  /** The right to settle it. */
  attempt: plain<number>('attempts'),
  /** Attempts since it was made or replayed, with this one. */
  tries: plain<number>('tries'),
  payload: plain('payload'),
  kind: plain<WebhookKind>('kind'),
  /** As it is shown; where that is cut, the secrets have it. */
  url: plain('url'),
  /** Ciphertext of the endpoint's secrets. */
  sealed: plain('sealed_secret'),
  /** Whether the secret before the last rotation signs too. */
  hasPrevious: plain<boolean>('has_previous'),
  isFailing: plain<boolean>('is_failing'),
});

export type ClaimedMessage = ReturnType<typeof claimedMessages.read>;

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

/** What has come due and is not delivered, claimed or not. */
const isOwed = `m.state = 'pending' and m.not_before <= now()`;

/** What can be sent now: it is not claimed, and its moment has come. */
const isDue = `${isOwed} and (m.lease_until is null or m.lease_until <= now())`;

/** No pause that the receiver of the endpoint `e` requested is left. */
const isFree = `(e.held_until is null or e.held_until <= now())`;

/** Messages of the endpoint `e` that a process is delivering, by an index of their own (`webhook_messages_leased`). */
const inFlight = `(select count(*) from webhook_messages r
  where r.project_id = e.project_id and r.endpoint_id = e.id and r.state = 'pending' and r.lease_until > now())`;

/**
 * Endpoints with a message to send, in a ring: those behind `after` first. Failing ones have a limit of their own, so that waiting for
 * their timeouts does not hold up those that answer.
 */
export async function findDueEndpoints(
  database: Knex,
  { limit, failingLimit, inFlightMax, after }: DueSearch,
): Promise<DueEndpoint[]> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `with ${pendingEndpoints},
     due as (
       select e.project_id, e.id, e.failing_since is not null as is_failing,
              (e.project_id, e.id) <= (cast(:projectId as text), cast(:endpointId as text)) as is_behind
       from hops h join webhook_endpoints e on e.project_id = h.project_id and e.id = h.endpoint_id and e.is_enabled and ${isFree}
       cross join lateral (select m.id from webhook_messages m
         where m.project_id = e.project_id and m.endpoint_id = e.id and ${isDue} order by m.not_before limit 1) ready
       where ${inFlight} < case when e.failing_since is null then cast(:inFlightMax as integer) else 1 end),
     ranked as (
       select *, row_number() over (partition by is_failing order by is_behind, project_id, id) as position from due)
     select project_id, id, is_failing from ranked where not is_failing or position <= :failingLimit
     order by is_behind, project_id, id limit :limit`,
    { projectId: after?.projectId ?? '', endpointId: after?.endpointId ?? '', limit, failingLimit, inFlightMax },
  );
  return rows.map(dueEndpoints.read);
}

const keyColumns = [
  column<EndpointKey>('project_id', 'text', (key) => key.projectId),
  column<EndpointKey>('endpoint_id', 'text', (key) => key.endpointId),
];

/**
 * Takes messages for one attempt each, oldest first, and records the attempts: a process that dies with them leaves a trace. Another
 * claim skips what is locked; an endpoint's row is locked so that two do not count its messages at once.
 */
export async function claimMessages(database: Knex, claim: MessageClaim): Promise<ClaimedMessage[]> {
  const input = rowSource('i', keyColumns, claim.endpoints);
  const { rows } = await database.raw<{ rows: StoredRow[] }>(
    `with open as materialized (
       select e.project_id, e.id, e.kind, e.url, e.sealed_secret, e.failing_since is not null as is_failing,
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
     select c.*, e.kind, e.url, e.sealed_secret, e.has_previous, e.is_failing
     from claimed c join open e on e.project_id = c.project_id and e.id = c.endpoint_id`,
    [...input.bindings, claim.perEndpoint, claim.inFlightMax, claim.leaseMs] as Knex.Value[],
  );
  return rows.map(claimedMessages.read);
}

/** How late deliveries are, in seconds; 0: nothing waits. */
export interface DeliveryLateness {
  /** How long ago the oldest message came due that is not claimed. */
  readonly oldestDue: number;
  /**
   * How long an endpoint with a due message has received nothing, whichever process has the message. While the endpoint is served its backlog does
   * not count, however old it is.
   */
  readonly longestUnserved: number;
}

/** Endpoints whose last attempt failed, of all projects, counted up to `limit`. */
export async function countFailing(database: Knex, limit: number): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ failing: number }] }>(
    `select count(*)::integer as failing from (
       select project_id from webhook_endpoints where failing_since is not null and is_enabled limit :limit) e`,
    { limit },
  );
  return rows[0].failing;
}

/**
 * How late deliveries are. Endpoints that fail do not count: they have one message under way, so their backlog says nothing about the deliverer.
 * Endpoints that requested a pause do not count either. A message that is claimed again and again, because no delivery of it can be settled, does not
 * count as served.
 */
export async function deliveryLateness(database: Knex): Promise<DeliveryLateness> {
  const { rows } = await database.raw<{ rows: [DeliveryLateness] }>(
    `with ${pendingEndpoints}
     select coalesce(max(extract(epoch from now() - m.not_before)), 0)::float8 as "oldestDue",
            coalesce(max(extract(epoch from now() - greatest(o.not_before, e.served_at, e.held_until))), 0)::float8 as "longestUnserved"
     from hops h join webhook_endpoints e on e.project_id = h.project_id and e.id = h.endpoint_id
       and e.is_enabled and e.failing_since is null and ${isFree}
     cross join lateral (select m.not_before from webhook_messages m
       where m.project_id = e.project_id and m.endpoint_id = e.id and ${isOwed} order by m.not_before limit 1) o
     left join lateral (select m.not_before from webhook_messages m
       where m.project_id = e.project_id and m.endpoint_id = e.id and ${isDue} order by m.not_before limit 1) m on true`,
  );
  return rows[0];
}
