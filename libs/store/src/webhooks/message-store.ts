import type { WebhookAttempt, WebhookEvent, WebhookMessage, WebhookMessageState } from '@sluice/types';
import type { Knex } from 'knex';
import { translated } from '../translate-errors';
import { newId } from '../new-id';
import {
  claimMessages,
  countFailing,
  findDueEndpoints,
  deliveryLateness,
  type ClaimedMessage,
  type DeliveryLateness,
  type DueEndpoint,
  type DueSearch,
  type MessageClaim,
  type EndpointKey,
} from './claim-messages';
import { giveUpDisabled } from './give-up-messages';
import { purgeMessages } from './purge-messages';
import { againSql, replayFailed, type ReplayedMessages } from './replay-failed';
import { settleAttempt, type AttemptEnd, type SettledAttempt } from './settle-attempt';
import { insertMessagesSql } from './tell-events';

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

/** What is on its way to endpoints. */
export interface WebhookMessageStore {
  /** Newest first. */
  list(key: EndpointKey, filter: MessageFilter): Promise<WebhookMessage[]>;
  find(key: MessageKey): Promise<(WebhookMessage & { readonly payload: WebhookEvent }) | undefined>;
  /** The last 100, in the order of their numbers. */
  listAttempts(key: MessageKey): Promise<WebhookAttempt[]>;
  /** A message that says only that it was asked for. Undefined when there is no such endpoint, or it is disabled. */
  sendTest(key: EndpointKey): Promise<WebhookMessage | undefined>;
  /** Sends a message again, delivered or not, with all its tries. Undefined when there is none, or its endpoint is disabled. */
  replay(key: MessageKey): Promise<WebhookMessage | undefined>;
  /** Sends again what failed of what happened since a moment. Undefined when there is no such endpoint, or it is disabled. */
  replayFailed(key: EndpointKey, since: Date): Promise<ReplayedMessages | undefined>;
  findDue(search: DueSearch): Promise<DueEndpoint[]>;
  claim(claim: MessageClaim): Promise<ClaimedMessage[]>;
  settle(claimed: ClaimedMessage, end: AttemptEnd): Promise<SettledAttempt>;
  lateness(): Promise<DeliveryLateness>;
  /** Endpoints whose last attempt failed, of all projects; up to `limit`. */
  countFailing(limit: number): Promise<number>;
  /** Fails what waits for endpoints that are disabled. @returns how many; at `limit` there may be more */
  giveUp(limit: number): Promise<number>;
  /** Deletes what ended so many days ago, and what belongs to no endpoint. @returns how many; at `limit` there may be more */
  purge(days: number, limit: number): Promise<number>;
}

interface MessageRow {
  id: string;
  endpoint_id: string;
  type: WebhookMessage['notificationType'];
  state: WebhookMessageState;
  attempts: number;
  not_before: Date;
  created_at: Date;
  ended_at: Date | null;
}

interface AttemptRow {
  number: number;
  started_at: Date;
  class: WebhookAttempt['class'] | null;
  status: number | null;
  duration_ms: number | null;
  response: string | null;
}

const columns = ['id', 'endpoint_id', 'type', 'state', 'attempts', 'not_before', 'created_at', 'ended_at'] as const;

/** Attempts that are shown of a message: those of seven replays. A message may be replayed any number of times. */
const attemptsMax = 100;

export function webhookMessageStore(database: Knex, timeScale: number): WebhookMessageStore {
  return translated<WebhookMessageStore>({
    list: async ({ projectId, endpointId }, { state, beforeId, limit }) => {
      const query = database('webhook_messages').where({ project_id: projectId, endpoint_id: endpointId });
      if (state !== undefined) void query.where({ state });
      if (beforeId !== undefined) void query.where('id', '<', beforeId);
      return (await query.orderBy('id', 'desc').limit(limit).select<MessageRow[]>(columns)).map(toMessage);
    },
    find: async ({ projectId, endpointId, messageId }) => {
      const [row] = await database('webhook_messages')
        .where({ project_id: projectId, endpoint_id: endpointId, id: messageId })
        .select<(MessageRow & { payload: string })[]>(...columns, 'payload');
      return row && { ...toMessage(row), payload: JSON.parse(row.payload) as WebhookEvent };
    },
    listAttempts: async ({ projectId, endpointId, messageId }) => {
      const rows = await database('webhook_attempts')
        .where({ project_id: projectId, endpoint_id: endpointId, message_id: messageId })
        .orderBy('number', 'desc')
        .limit(attemptsMax)
        .select<AttemptRow[]>('number', 'started_at', 'class', 'status', 'duration_ms', 'response');
      return rows.toReversed().map(toAttempt);
    },
    sendTest: async (key) => {
      const data = `json_build_object('projectId', e.project_id, 'endpointId', e.id)`;
      const from = `webhook_endpoints e where e.project_id = :projectId and e.id = :endpointId and e.is_enabled`;
      const insert = insertMessagesSql('cast(:eventId as text)', `'endpoint.test'`, data, from);
      return await one(database, `${insert} returning ${columns.join(', ')}`, { ...key, eventId: newId() });
    },
    replay: (key) =>
      one(
        database,
        `update webhook_messages m set ${againSql} where m.project_id = :projectId and m.endpoint_id = :endpointId and m.id = :messageId
           and exists (select 1 from webhook_endpoints e where e.project_id = m.project_id and e.id = m.endpoint_id and e.is_enabled)
         returning ${columns.map((name) => `m.${name}`).join(', ')}`,
        { ...key },
      ),
    replayFailed: (key, since) => replayFailed(database, key, since),
    findDue: (search) => findDueEndpoints(database, search),
    claim: (claim) => claimMessages(database, claim),
    settle: (claimed, end) => settleAttempt(database, claimed, end, timeScale),
    lateness: () => deliveryLateness(database),
    countFailing: (limit) => countFailing(database, limit),
    giveUp: (limit) => giveUpDisabled(database, limit),
    purge: (days, limit) => purgeMessages(database, days, limit),
  });
}

async function one(
  database: Knex,
  sql: string,
  bindings: Record<string, Knex.Value>,
): Promise<WebhookMessage | undefined> {
  const { rows } = await database.raw<{ rows: MessageRow[] }>(sql, bindings);
  return rows[0] && toMessage(rows[0]);
}

function toMessage(row: MessageRow): WebhookMessage {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    notificationType: row.type,
    status: row.state,
    attempts: row.attempts,
    createTime: row.created_at.toISOString(),
    ...(row.state === 'pending' ? { nextAttemptTime: row.not_before.toISOString() } : {}),
    ...(row.ended_at === null ? {} : { endTime: row.ended_at.toISOString() }),
  };
}

function toAttempt(row: AttemptRow): WebhookAttempt {
  return {
    number: row.number,
    startTime: row.started_at.toISOString(),
    ...(row.class === null || row.class === undefined ? {} : { class: row.class }),
    ...(row.status === null ? {} : { responseStatus: row.status }),
    ...(row.duration_ms === null ? {} : { durationMs: row.duration_ms }),
    ...(row.response === null ? {} : { response: row.response }),
  };
}
