import type { Knex } from 'knex';
import type { EndpointKey } from './claim-messages';

/** Messages that one statement puts back: it stays far from its limit. */
const messagesPerRound = 1_000;
/** Rounds of one request: a few seconds of work at most. Who asks again goes on where it ended. */
const roundsMax = 100;

/** What a message is changed to that is sent again, with all its tries. */
export const againSql = `state = 'pending', tries = 0, not_before = now(), lease_until = null, ended_at = null`;

/** What a replay of many has done. */
export interface ReplayedMessages {
  readonly replayed: number;
  /** False: more of them have failed; the same request goes on. */
  readonly isComplete: boolean;
}

/**
 * Sends again what failed of what happened since a moment, oldest first, in rounds: each is committed, so whoever dies or is cut off
 * here asks again and gets the rest. The endpoint's lock keeps who disables it waiting, and claims pass it over meanwhile.
 * @returns undefined when there is no such endpoint, or it is disabled
 */
export async function replayFailed(
  database: Knex,
  key: EndpointKey,
  since: Date,
  roundsLeft = roundsMax,
): Promise<ReplayedMessages | undefined> {
  let replayed = 0;
  for (let rounds = 0; rounds < roundsLeft; rounds += 1) {
    const found = await replayRound(database, key, since);
    if (found === undefined) return rounds === 0 ? undefined : { replayed, isComplete: false };
    replayed += found;
    if (found < messagesPerRound) return { replayed, isComplete: true };
  }
  return { replayed, isComplete: false };
}

async function replayRound(database: Knex, key: EndpointKey, since: Date): Promise<number | undefined> {
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
       update webhook_messages m set ${againSql} from chosen c
       where m.project_id = c.project_id and m.endpoint_id = c.endpoint_id and m.id = c.id returning m.id)
     select (select count(*)::integer from replayed) as replayed from open`,
    { ...key, since, limit: messagesPerRound },
  );
  return rows[0]?.replayed;
}
