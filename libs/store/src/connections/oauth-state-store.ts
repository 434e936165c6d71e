import type { Connection } from '@sluice/types';
import type { Knex } from 'knex';
import { inMs } from '../database';
import type { SealedCredentials } from '../sealed-secrets';
import { json, optional, plain, table, type StoredRow } from '../table';

/** Names one authorization that was begun: the SHA-256 of its `state`, which is not kept. */
export interface OAuthStateKey {
  readonly projectId: string;
  readonly stateHash: string;
}

/** What a customer's return from a provider's page is joined with. */
const states = table({
  projectId: plain('project_id'),
  stateHash: plain('state_hash'),
  provider: plain('provider'),
  providerAppId: plain('provider_app_id'),
  groupRef: plain('group_ref'),
  groupName: optional(plain('group_name')),
  consumerRef: plain('consumer_ref'),
  consumerName: optional(plain('consumer_name')),
  workspaceRef: optional(plain('provider_workspace_ref')),
  providerMetadata: optional(json<NonNullable<Connection['providerMetadata']>>('provider_metadata')),
  /** The connection that gets new tokens. Absent: the group's one to the account, made when there is none. */
  connectionId: optional(plain('connection_id')),
  /** The connect session that it is part of. */
  connectSessionId: optional(plain('connect_session_id')),
  redirectUri: plain('redirect_uri'),
  /** The page that began it, when a browser did. */
  openerOrigin: optional(plain('opener_origin')),
  /** SHA-256 of the cookie without which the return is refused. */
  cookieHash: optional(plain('cookie_hash')),
  /** The PKCE verifier as ciphertext. */
  sealedVerifier: plain('sealed_verifier'),
});

export type OAuthState = ReturnType<typeof states.read>;

export interface NewOAuthState extends Omit<OAuthState, 'sealedVerifier'> {
  readonly verifier: SealedCredentials;
}

/** Invariant: a state is returned once, however many callers take it, and never after its end. */
export function oauthStateStore(database: Knex) {
  return {
    /** @param lifeMs how long it can be taken, by the database's clock */
    save: async ({ verifier, ...state }: NewOAuthState, lifeMs: number): Promise<void> => {
      // Each beginning sweeps the project, because no caller comes back for these.
      const ended = database('oauth_states').where({ project_id: state.projectId });
      await ended.where('expires_at', '<', database.raw('now()')).delete();
      const row = states.write({ ...state, sealedVerifier: verifier.text });
      const expiresAt = inMs(database, lifeMs);
      await database('oauth_states').insert({ ...row, seal_key_id: verifier.keyId, expires_at: expiresAt });
    },
    /** Takes it away. Undefined when it was never there, was taken before, or has ended. */
    take: async ({ projectId, stateHash }: OAuthStateKey): Promise<OAuthState | undefined> => {
      const [row] = await database('oauth_states')
        .where({ project_id: projectId, state_hash: stateHash })
        .delete()
        .returning<StoredRow[]>([...states.columns, database.raw('expires_at > now() as is_live') as never]);
      return row?.is_live === true ? states.read(row) : undefined;
    },
  };
}
