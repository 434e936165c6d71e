import type { WebhookAttemptClass } from '@sluice/types';
import type { Knex } from 'knex';
import type { ClaimedMessage } from './claim-messages';
import { giveUpPending } from './give-up-messages';
import { eventBindings, insertMessagesSql, subscribersSql } from './notify';

/** The outcome of an attempt. */
export interface AttemptEnd {
  readonly class: WebhookAttemptClass;
  readonly status?: number;
  readonly durationMs: number;
  /** The beginning of the response, without NUL. */
  readonly response?: string;
  /** Wait before the next attempt. Absent after a failure: there is none, the message has failed. */
  readonly pauseMs?: number;
  /** The receiver requests that nothing is sent to the endpoint for so long. */
  readonly holdMs?: number;
  /** The receiver reports that it is gone for good: the endpoint is disabled. */
  readonly isGone?: boolean;
  /** The failure is ours: it says nothing about the endpoint. */
  readonly isOurs?: boolean;
}

/** What that changed of the message and its endpoint. */
export interface SettledAttempt {
  /** Undefined: it is not over, or another attempt decides. */
  readonly ended?: 'delivered' | 'failed';
  /** Why this attempt has disabled the endpoint. */
  readonly disabled?: 'failing' | 'gone';
}

/** The time of the last delivery is written to an endpoint's row at most this often, so that not every delivery writes it. */
const servedEverySeconds = 10;

/** All attempts of an endpoint fail for so long before it is disabled: a receiver may be repaired after a holiday. */
const disabledAfterDays = 7;

/**
 * Records the outcome of an attempt. A success counts, also when another process holds the message by now: the receiver has it. A failure changes the
 * message only if no later attempt was begun. An endpoint all of whose attempts failed for a week, or that is gone, is disabled, and the
 * others are notified. The response of an address that the endpoint no longer has changes nothing of the endpoint.
 * Locks the endpoint, then the message, then the attempt, as claims and deletions do.
 * @param timeScale divides pauses and the week
 */
export async function settleAttempt(
  database: Knex,
  claimed: ClaimedMessage,
  end: AttemptEnd,
  timeScale: number,
): Promise<SettledAttempt> {
  const settled = await database.transaction(async (transaction) => {
    const changed = await changeMessage(transaction, claimed, end, timeScale);
    await closeAttempt(transaction, claimed, end);
    return changed;
  });
  if (settled.disabled) await giveUpPending(database, claimed);
  return settled;
}

async function changeMessage(
  transaction: Knex.Transaction,
  claimed: ClaimedMessage,
  end: AttemptEnd,
  timeScale: number,
): Promise<SettledAttempt> {
  if (end.class === 'delivered') return (await deliver(transaction, claimed)) ? { ended: 'delivered' } : {};
  const disabled = end.isOurs ? undefined : await noteFailure(transaction, claimed, end, timeScale);
  const isLast = disabled !== undefined || end.pauseMs === undefined;
  const state = await postpone(transaction, claimed, isLast ? undefined : end.pauseMs / timeScale);
  return { ...(disabled && { disabled }), ...(state === 'failed' ? { ended: 'failed' } : {}) };
}

async function closeAttempt(transaction: Knex.Transaction, claimed: ClaimedMessage, end: AttemptEnd): Promise<void> {
  const { projectId, endpointId, messageId, attempt } = claimed;
  await transaction('webhook_attempts')
    .where({ project_id: projectId, endpoint_id: endpointId, message_id: messageId, number: attempt })
    .update({ class: end.class, status: end.status, duration_ms: end.durationMs, response: end.response });
}

async function deliver(
  transaction: Knex.Transaction,
  { projectId, endpointId, messageId }: ClaimedMessage,
): Promise<boolean> {
  // With the message and not with its claim: a delivery that cannot be recorded is repeated, and does not count as served.
  await transaction.raw(
    `update webhook_endpoints set failing_since = null, served_at = now() where project_id = :projectId and id = :endpointId
       and (failing_since is not null or served_at is null or served_at < now() - make_interval(secs => :servedEverySeconds))`,
    { projectId, endpointId, servedEverySeconds },
  );
  const changed = await transaction('webhook_messages')
    .where({ project_id: projectId, endpoint_id: endpointId, id: messageId, state: 'pending' })
    .update({ state: 'delivered', ended_at: transaction.fn.now(), lease_until: null });
  return changed > 0;
}

async function postpone(
  transaction: Knex.Transaction,
  { projectId, endpointId, messageId, attempt }: ClaimedMessage,
  pauseMs: number | undefined,
): Promise<string | undefined> {
  const [row] = await transaction('webhook_messages')
    .where({ project_id: projectId, endpoint_id: endpointId, id: messageId, state: 'pending', attempts: attempt })
    .update(
      pauseMs === undefined
        ? { state: 'failed', ended_at: transaction.fn.now(), lease_until: null }
        : {
            not_before: transaction.raw('clock_timestamp() + make_interval(secs => ?::float8 / 1000)', [pauseMs]),
            lease_until: null,
          },
    )
    .returning<{ state: string }[]>('state');
  return row?.state;
}

/** @returns why this was the failure that disabled the endpoint; undefined: it was not */
async function noteFailure(
  transaction: Knex.Transaction,
  { projectId, endpointId, url }: ClaimedMessage,
  { isGone = false, holdMs }: AttemptEnd,
  timeScale: number,
): Promise<SettledAttempt['disabled']> {
  const holdSeconds = holdMs === undefined ? null : holdMs / timeScale / 1_000;
  const { rows } = await transaction.raw<{ rows: { is_enabled: boolean; disabled_reason: 'failing' | 'gone' }[] }>(
    `update webhook_endpoints e set failing_since = coalesce(e.failing_since, now()), is_enabled = k.reason is null, disabled_reason = k.reason,
            held_until = greatest(e.held_until, now() + make_interval(secs => cast(:holdSeconds as float8)))
     from (select case when cast(:isGone as boolean) then 'gone'
             when failing_since <= now() - make_interval(secs => 86400.0 * :days / :timeScale) then 'failing' end as reason
           from webhook_endpoints where project_id = :projectId and id = :endpointId) k
     where e.project_id = :projectId and e.id = :endpointId and e.url = :url and e.is_enabled
       and (e.failing_since is null or k.reason is not null or cast(:holdSeconds as float8) is not null)
     returning e.is_enabled, e.disabled_reason`,
    { projectId, endpointId, url, isGone, holdSeconds, days: disabledAfterDays, timeScale },
  );
  if (rows[0]?.is_enabled !== false) return undefined;
  await transaction.raw(disabledSql, { projectId, endpointId, ...eventBindings('endpoint.disabled') });
  return rows[0].disabled_reason;
}

/** Without the address: it may hold its receiver's token, and this goes to other receivers. */
const disabledSql = insertMessagesSql(
  `json_build_object('projectId', d.project_id, 'endpointId', d.id, 'reason', d.disabled_reason)`,
  `webhook_endpoints d join ${subscribersSql('d.project_id')} where d.project_id = :projectId and d.id = :endpointId`,
);
