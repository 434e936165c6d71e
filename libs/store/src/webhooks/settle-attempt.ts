import type { WebhookAttemptClass } from '@sluice/types';
import type { Knex } from 'knex';
import { newId } from '../new-id';
import type { ClaimedMessage } from './claim-messages';
import type { EndpointKey } from './endpoint-store';
import { giveUpPending } from './give-up-messages';
import { endpointsSql, insertMessagesSql } from './tell-events';

/** What became of an attempt. */
export interface AttemptEnd {
  readonly class: WebhookAttemptClass;
  readonly status?: number;
  readonly durationMs: number;
  /** The beginning of the answer, without NUL. */
  readonly response?: string;
  /** Wait before the next attempt. Absent after a failure: there is none, the message has failed. */
  readonly pauseMs?: number;
}

/** What that made of the message and its endpoint. */
export interface SettledAttempt {
  /** Undefined: it goes on, or another attempt decides. */
  readonly ended?: 'delivered' | 'failed';
  readonly isDisabled: boolean;
}

/** Attempts of an endpoint fail for so long before it is disabled. Source: issue 9, a week. */
const disabledAfterDays = 7;

/**
 * Writes down what became of an attempt. A success counts whoever holds the message by now: the receiver has it. A failure moves it
 * only if no later attempt was begun. An endpoint all of whose attempts failed for a week is disabled, and the others are told.
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
    const became = await move(transaction, claimed, end, timeScale);
    await closeAttempt(transaction, claimed, end);
    return became;
  });
  if (settled.isDisabled) await giveUpPending(database, claimed);
  return settled;
}

async function move(
  transaction: Knex.Transaction,
  claimed: ClaimedMessage,
  end: AttemptEnd,
  timeScale: number,
): Promise<SettledAttempt> {
  if (end.class === 'delivered') {
    const isEnded = await deliver(transaction, claimed);
    return { isDisabled: false, ...(isEnded ? { ended: 'delivered' } : {}) };
  }
  const isDisabled = await noteFailure(transaction, claimed, timeScale);
  const isLast = isDisabled || end.pauseMs === undefined;
  const state = await postpone(transaction, claimed, isLast ? undefined : end.pauseMs / timeScale);
  return { isDisabled, ...(state === 'failed' ? { ended: 'failed' } : {}) };
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
  // Only after a failure: an endpoint that works is no row that every delivery writes.
  await transaction('webhook_endpoints')
    .where({ project_id: projectId, id: endpointId })
    .whereNotNull('failing_since')
    .update({ failing_since: null });
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

/** @returns whether this was the failure that disabled the endpoint */
async function noteFailure(transaction: Knex.Transaction, key: EndpointKey, timeScale: number): Promise<boolean> {
  const { projectId, endpointId } = key;
  const { rows } = await transaction.raw<{ rows: { is_enabled: boolean }[] }>(
    `update webhook_endpoints e set failing_since = coalesce(e.failing_since, now()), is_enabled = not k.is_over,
            disabled_reason = case when k.is_over then 'failing' end
     from (select coalesce(failing_since <= now() - make_interval(secs => 86400.0 * :days / :timeScale), false) as is_over
           from webhook_endpoints where project_id = :projectId and id = :endpointId) k
     where e.project_id = :projectId and e.id = :endpointId and e.is_enabled and (e.failing_since is null or k.is_over)
     returning e.is_enabled`,
    { projectId, endpointId, days: disabledAfterDays, timeScale },
  );
  if (rows[0]?.is_enabled !== false) return false;
  await tellDisabled(transaction, key);
  return true;
}

/** Without the address: it may hold its receiver's token, and this goes to other receivers. */
async function tellDisabled(transaction: Knex.Transaction, { projectId, endpointId }: EndpointKey): Promise<void> {
  const data = `json_build_object('projectId', d.project_id, 'endpointId', d.id, 'reason', d.disabled_reason)`;
  const filters = `array['endpoint.disabled']`;
  await transaction.raw(
    insertMessagesSql(
      'cast(:eventId as text)',
      `'endpoint.disabled'`,
      data,
      `webhook_endpoints d join ${endpointsSql('d.project_id', filters)} where d.project_id = :projectId and d.id = :endpointId`,
    ),
    { projectId, endpointId, eventId: newId() },
  );
}
