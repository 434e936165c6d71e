import type { WebhookAttempt, WebhookEvent, WebhookMessage, WebhookMessageState } from '@sluice/types';
import type { Knex } from 'knex';
import { bound } from '../database';
import { refusedStatement } from '../database-errors';
import { guard } from '../guard';
import { moment, optional, plain, table, type StoredRow } from '../table';
import {
  claimMessages,
  countFailing,
  deliveryLateness,
  findDueEndpoints,
  pendingEndpoints,
  type ClaimedMessage,
  type EndpointKey,
} from './claim-messages';
import { giveUpDisabled } from './give-up-messages';
import { eventBindings, insertMessagesSql } from './notify';
import { settleAttempt, type AttemptEnd } from './settle-attempt';

/** Names one message. */
export interface MessageKey extends EndpointKey {
  readonly messageId: string;
}

export interface MessageFilter {
  readonly state?: WebhookMessageState;
  /** Only those older than this one. */
  readonly beforeId?: string;
  readonly limit: number;
}

const messages = table({
  id: plain('id'),
  endpointId: plain('endpoint_id'),
  notificationType: plain<WebhookMessage['notificationType']>('type'),
  status: plain<WebhookMessageState>('state'),
  attempts: plain<number>('attempts'),
  createTime: moment('created_at'),
  nextAttemptTime: optional(moment('not_before')),
  endTime: optional(moment('ended_at')),
});

const attempts = table({
  number: plain<number>('number'),
  startTime: moment('started_at'),
  class: optional(plain<NonNullable<WebhookAttempt['class']>>('class')),
  responseStatus: optional(plain<number>('status')),
  durationMs: optional(plain<number>('duration_ms')),
  response: optional(plain('response')),
});

/** Attempts that are shown of a message: those of seven replays. A message may be replayed any number of times. */
const attemptsMax = 100;
/** Messages that one statement replays: it stays far from its limit. */
const messagesPerPass = 1_000;
/** Passes of one request: a few seconds of work at most. Another request continues where it ended. */
const passesMax = 100;

/** What is on its way to endpoints. */
export function webhookMessageStore(database: Knex, timeScale: number) {
  return {
    /** Newest first. */
    list: async ({ projectId, endpointId }: EndpointKey, filter: MessageFilter): Promise<WebhookMessage[]> => {
      const { state, beforeId, limit } = filter;
      const query = database('webhook_messages').where({ project_id: projectId, endpoint_id: endpointId });
      if (state !== undefined) void query.where({ state });
      if (beforeId !== undefined) void query.where('id', '<', beforeId);
      const rows = await query.orderBy('id', 'desc').limit(limit).select<StoredRow[]>(messages.columns);
      return rows.map(toMessage);
    },
    find: async (key: MessageKey): Promise<(WebhookMessage & { readonly payload: WebhookEvent }) | undefined> => {
      const [row] = await database('webhook_messages')
        .where({ project_id: key.projectId, endpoint_id: key.endpointId, id: key.messageId })
        .select<StoredRow[]>(...messages.columns, 'payload');
      return row && { ...toMessage(row), payload: JSON.parse(row.payload as string) as WebhookEvent };
    },
    /** The last 100, in the order of their numbers. */
    listAttempts: async ({ projectId, endpointId, messageId }: MessageKey): Promise<WebhookAttempt[]> => {
      const rows = await database('webhook_attempts')
        .where({ project_id: projectId, endpoint_id: endpointId, message_id: messageId })
        .orderBy('number', 'desc')
        .limit(attemptsMax)
        .select<StoredRow[]>(attempts.columns);
      return rows.toReversed().map(attempts.read);
    },
    /** A message that says only that it was requested. Undefined when there is no such endpoint, or it is disabled. */
    sendTest: (key: EndpointKey): Promise<WebhookMessage | undefined> =>
      one(database, `${testSql} returning ${messages.columns.join(', ')}`, {
        ...key,
        ...eventBindings('endpoint.test'),
      }),
    /** Sends a message again, delivered or not, with all its tries. Undefined when there is none, or its endpoint is disabled. */
    replay: (key: MessageKey): Promise<WebhookMessage | undefined> =>
      one(
        database,
        `update webhook_messages m set ${replayedSql} where m.project_id = :projectId and m.endpoint_id = :endpointId and m.id = :messageId
           and exists (select 1 from webhook_endpoints e where e.project_id = m.project_id and e.id = m.endpoint_id and e.is_enabled)
         returning ${messages.columns.map((name) => `m.${name}`).join(', ')}`,
        { ...key },
      ),
    ...bound(database, {
      replayFailed,
      findDue: findDueEndpoints,
      claim: claimMessages,
      lateness: deliveryLateness,
      countFailing,
      giveUp: giveUpDisabled,
    }),
    settle: (claimed: ClaimedMessage, end: AttemptEnd) => settleAttempt(database, claimed, end, timeScale),
    /** Deletes what ended so many days ago, then what belongs to no endpoint. @returns how many; at `limit` there may be more */
    purge: async (days: number, limit: number): Promise<number> => {
      const ended = await purge(database, endedSql, { days, limit });
      return ended + (await purge(database, orphanedSql, { limit: limit - ended }));
    },
  };
}

const testSql = insertMessagesSql(
  `json_build_object('projectId', e.project_id, 'endpointId', e.id)`,
  `webhook_endpoints e where e.project_id = :projectId and e.id = :endpointId and e.is_enabled`,
);

/** What a message is changed to that is sent again, with all its tries. */
const replayedSql = `state = 'pending', tries = 0, not_before = now(), lease_until = null, ended_at = null`;

async function one(
  database: Knex,
  sql: string,
  bindings: Record<string, Knex.Value>,
): Promise<WebhookMessage | undefined> {
  const { rows } = await database.raw<{ rows: StoredRow[] }>(sql, bindings);
  return rows[0] && toMessage(rows[0]);
}

/** Only what is pending has a next attempt. */
function toMessage(row: StoredRow): WebhookMessage {
  return messages.read(row.state === 'pending' ? row : { ...row, not_before: null });
}

/** What a replay of many has done. */
export interface ReplayedMessages {
  readonly replayed: number;
  /** False: more of them have failed; the same request continues. */
  readonly isComplete: boolean;
}

/**
 * Sends again the failed messages of events since a moment, oldest first, in passes. Each pass is committed, so a caller that is cut off repeats the
 * request and gets the rest. Disabling the endpoint waits for its lock, and claims skip it meanwhile.
 * @returns undefined when there is no such endpoint, or it is disabled
 */
export async function replayFailed(
  database: Knex,
  key: EndpointKey,
  since: Date,
  passesLeft = passesMax,
): Promise<ReplayedMessages | undefined> {
  let replayed = 0;
  for (let passes = 0; passes < passesLeft; passes += 1) {
    const found = await guard(() => replayPass(database, key, since), refusedStatement);
    if (found === undefined) return passes === 0 ? undefined : { replayed, isComplete: false };
    replayed += found;
    if (found < messagesPerPass) return { replayed, isComplete: true };
  }
  return { replayed, isComplete: false };
}

async function replayPass(database: Knex, key: EndpointKey, since: Date): Promise<number | undefined> {
  const { rows } = await database.raw<{ rows: { replayed: number }[] }>(
    `with open as materialized (
       select project_id, id from webhook_endpoints
       where project_id = :projectId and id = :endpointId and is_enabled for no key update),
     chosen as materialized (
       select c.* from open e cross join lateral (
         select m.project_id, m.endpoint_id, m.id from webhook_messages m
         where m.project_id = e.project_id and m.endpoint_id = e.id and m.state = 'failed' and m.created_at >= :since
         order by m.created_at, m.id limit :limit for update) c),
     replayed as (
       update webhook_messages m set ${replayedSql} from chosen c
       where m.project_id = c.project_id and m.endpoint_id = c.endpoint_id and m.id = c.id returning m.id)
     select (select count(*)::integer from replayed) as replayed from open`,
    { ...key, since, limit: messagesPerPass },
  );
  return rows[0]?.replayed;
}

/** What ended so many days ago. */
const endedSql = `select project_id, endpoint_id, id from webhook_messages
  where ended_at <= now() - make_interval(days => cast(:days as integer)) order by ended_at limit :limit for update skip locked`;

/** What belongs to no endpoint, because it was deleted while they were written: found by jumps, so that what waits for others is not read. */
const orphanedSql = `with ${pendingEndpoints}
  select m.* from hops h cross join lateral (
    select m.project_id, m.endpoint_id, m.id from webhook_messages m
    where m.project_id = h.project_id and m.endpoint_id = h.endpoint_id and m.state = 'pending' limit :limit) m
  where not exists (select 1 from webhook_endpoints e where e.project_id = h.project_id and e.id = h.endpoint_id) limit :limit`;

async function purge(database: Knex, old: string, bindings: Record<string, number>): Promise<number> {
  const { rows } = await database.raw<{ rows: [{ deleted: number }] }>(
    `with old as materialized (${old}),
     tries as (delete from webhook_attempts a using old
       where a.project_id = old.project_id and a.endpoint_id = old.endpoint_id and a.message_id = old.id),
     gone as (delete from webhook_messages m using old
       where m.project_id = old.project_id and m.endpoint_id = old.endpoint_id and m.id = old.id returning m.id)
     select count(*)::integer as deleted from gone`,
    bindings,
  );
  return rows[0].deleted;
}
