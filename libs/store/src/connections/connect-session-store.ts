import { ConflictError } from '@sluice/errors';
import type { Knex } from 'knex';
import { inMs } from '../database';
import { moment, optional, plain, table, type StoredRow } from '../table';

/** Names one session inside its project. */
export interface ConnectSessionKey {
  readonly projectId: string;
  readonly id: string;
}

const sessions = table({
  projectId: plain('project_id'),
  id: plain('id'),
  integrationId: plain('integration_id'),
  groupRef: plain('group_ref'),
  groupName: optional(plain('group_name')),
  consumerRef: plain('consumer_ref'),
  consumerName: optional(plain('consumer_name')),
  returnUrl: optional(plain('return_url')),
  /** SHA-256 of the cookie of the browser that began. Absent: none has. */
  cookieHash: optional(plain('cookie_hash')),
  /** The connection that the session made, or gave new credentials. */
  connectionId: optional(plain('connection_id')),
  /** The installation that came of it. */
  installationId: optional(plain('installation_id')),
  /** Why the last attempt failed, as a sentence. */
  failure: optional(plain('failure')),
  createTime: moment('created_at'),
  expireTime: moment('expires_at'),
  /** When it had done what it was made for. */
  usedTime: optional(moment('used_at')),
  /** The API key that made the link, which ends with it. Absent: no key made it. */
  keyId: optional(plain('key_id')),
});

export type StoredConnectSession = ReturnType<typeof sessions.read> & {
  /** Whether its time is not over, by the database's clock, and the key that made it is active. */
  readonly isLive: boolean;
};

export interface NewConnectSession extends Pick<
  StoredConnectSession,
  | 'projectId'
  | 'id'
  | 'integrationId'
  | 'groupRef'
  | 'groupName'
  | 'consumerRef'
  | 'consumerName'
  | 'returnUrl'
  | 'keyId'
> {
  /** SHA-256 of the token, which is not kept. */
  readonly tokenHash: string;
  /** How long it can be used, in milliseconds. */
  readonly lifeMs: number;
  /** Open sessions that the project may have with this one. */
  readonly max: number;
}

/** What changes while a session is used. What is absent stays; null clears. */
export interface ConnectSessionChange extends Partial<Pick<StoredConnectSession, 'installationId'>> {
  readonly failure?: string | null;
  /** It has done what it was made for. @default it goes on */
  readonly isUsed?: boolean;
}

/** How long a session is kept after its end, so that its page can say whom to ask for another. */
const keptHours = 24;

/** Invariants: a session belongs to the first browser that submits; what was used, or has ended, takes no browser and no connection. */
export function connectSessionStore(database: Knex) {
  const columns = [...sessions.columns, database.raw(`${liveSql} as is_live`) as never];
  const findBy = async (key: { readonly project_id: string }): Promise<StoredConnectSession | undefined> => {
    const [row] = await database('connect_sessions').where(key).select<StoredRow[]>(columns);
    return row && read(row);
  };
  return {
    /** @returns when it ends; undefined when the project has as many open ones as it may */
    save: (session: NewConnectSession): Promise<string | undefined> =>
      database.transaction((transaction) => insertSession(transaction, session)),
    find: ({ projectId, id }: ConnectSessionKey) => findBy(keyOf({ projectId, id })),
    findByToken: ({ projectId, tokenHash }: { readonly projectId: string; readonly tokenHash: string }) =>
      findBy({ project_id: projectId, token_hash: tokenHash } as { project_id: string }),
    /**
     * Gives the session to this browser, and forgets why its last attempt failed.
     * @returns false when it belongs to another one, was used or has ended
     */
    bind: async (key: ConnectSessionKey, cookieHash: string): Promise<boolean> => {
      const bound = database('connect_sessions')
        .where(keyOf(key))
        .whereNull('used_at')
        .whereRaw(liveSql)
        .where((free) => void free.whereNull('cookie_hash').orWhere('cookie_hash', cookieHash));
      return (await bound.update({ cookie_hash: cookieHash, failure: null })) === 1;
    },
    change: async (key: ConnectSessionKey, { isUsed = false, ...change }: ConnectSessionChange) => {
      const row = sessions.write(change);
      const used = isUsed ? { used_at: database.raw('coalesce(used_at, now())') } : {};
      await database('connect_sessions')
        .where(keyOf(key))
        .update({ ...row, ...used });
    },
    /** Ends it. False when there is none that is open. */
    end: async (key: ConnectSessionKey): Promise<boolean> => {
      const open = database('connect_sessions').where(keyOf(key)).whereNull('used_at').whereRaw(liveSql);
      return (await open.update({ expires_at: database.fn.now() })) === 1;
    },
    /** Sessions of the same group and integration that have another connection than this one, and have not installed. */
    listOthers: async (session: StoredConnectSession, connectionId: string): Promise<ConnectSessionKey[]> => {
      const { projectId, id, integrationId, groupRef } = session;
      const others = database('connect_sessions')
        .where({ project_id: projectId, integration_id: integrationId, group_ref: groupRef, installation_id: null })
        .whereNot({ id })
        .whereNot({ connection_id: connectionId });
      return (await others.select<StoredRow[]>('id')).map((row) => ({ projectId, id: String(row['id']) }));
    },
    /** Deletes those that ended a day ago. @returns how many, `limit` at most; at `limit` there may be more */
    purge: async (limit: number): Promise<number> =>
      (await database.raw<{ rowCount: number }>(purgeSql, { limit })).rowCount,
  };
}

/** Its time is not over, and neither is the key that made it. */
const liveSql = `(connect_sessions.expires_at > now() and (connect_sessions.key_id is null or exists (
  select 1 from api_keys a where a.project_id = connect_sessions.project_id and a.id = connect_sessions.key_id and a.active)))`;

async function insertSession(
  transaction: Knex.Transaction,
  { tokenHash, lifeMs, max, ...session }: NewConnectSession,
): Promise<string | undefined> {
  const { projectId } = session;
  const lock = JSON.stringify(['connect_sessions', projectId]);
  await transaction.raw('select pg_advisory_xact_lock(hashtextextended(?, 0))', [lock]);
  const open = transaction('connect_sessions').where({ project_id: projectId }).whereNull('used_at').whereRaw(liveSql);
  if ((await open.limit(max).select('id')).length >= max) return undefined;
  const row = { ...sessions.write(session), token_hash: tokenHash, expires_at: inMs(transaction, lifeMs) };
  const [made] = await transaction('connect_sessions').insert(row).returning<{ expires_at: Date }[]>('expires_at');
  return (made as { expires_at: Date }).expires_at.toISOString();
}

/** The connection that a session is to note, in the transaction that makes it or changes it. */
interface Connected {
  readonly connectionId: string;
  /** Made by the session, and not only given new credentials. */
  readonly isMade: boolean;
}

/**
 * Notes the connection of a session: a process that dies leaves both, or none. A session has one: of two accounts that are given at once, the first
 * stays, and nothing is left of the other.
 * @throws ConflictError `connect-session.used` where it has another one
 */
export async function noteConnected(
  transaction: Knex.Transaction,
  { projectId, id }: ConnectSessionKey,
  { connectionId, isMade }: Connected,
): Promise<void> {
  const own = transaction('connect_sessions').where(keyOf({ projectId, id }));
  // Lock first, read then: what another tab has committed meanwhile is seen by the statements after.
  const columns = ['connection_id', 'installation_id', transaction.raw(`${liveSql} as is_live`) as never];
  const session = await own.clone().forUpdate().first<StoredRow | undefined>(columns);
  if (session?.['is_live'] !== true) throw used('The link to this page has ended.');
  const { connection_id: before, installation_id: installed } = session;
  const isSame = before === connectionId;
  const isFree = installed === null && (before === null || !(await hasConnection(transaction, projectId, before)));
  if (!isSame && !isFree) throw used(connectedBefore);
  await own.update({ connection_id: connectionId, ...(!isSame && { has_made_connection: isMade }) });
}

const used = (detail: string) => new ConflictError({ code: 'connect-session.used', detail });

/** What the page says of an account that was given beside another one. */
const connectedBefore =
  'An account was connected with this link already. The one that was given beside it is not used.';

async function hasConnection(transaction: Knex.Transaction, projectId: string, id: unknown): Promise<boolean> {
  return (await transaction('connections').where({ project_id: projectId, id }).first('id')) !== undefined;
}

export const keyOf = ({ projectId, id }: ConnectSessionKey) => ({ project_id: projectId, id });

function read(row: StoredRow): StoredConnectSession {
  return { ...sessions.read(row), isLive: row['is_live'] === true };
}

const purgeSql = `delete from connect_sessions where (project_id, id) in (
  select project_id, id from connect_sessions where expires_at <= now() - make_interval(hours => ${keptHours})
  order by expires_at limit :limit for update skip locked)`;
