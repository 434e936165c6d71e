import type { Connection } from '@sluice/types';
import type { Knex } from 'knex';
import type { SealedCredentials } from '../sealed-secrets';
import { translated } from '../translate-errors';

/** Names one authorization that was begun: the SHA-256 of its `state`, which is not kept. */
export interface OAuthStateKey {
  readonly projectId: string;
  readonly stateHash: string;
}

/** What a customer's return from a provider's page is to be joined with. */
export interface OAuthState extends OAuthStateKey {
  readonly provider: string;
  readonly providerAppId: string;
  readonly groupRef: string;
  readonly groupName?: string;
  readonly consumerRef: string;
  readonly consumerName?: string;
  readonly workspaceRef?: string;
  readonly providerMetadata?: NonNullable<Connection['providerMetadata']>;
  /** The connection that is to get new tokens. Absent: the group's one to the account, made when there is none. */
  readonly connectionId?: string;
  readonly redirectUri: string;
  /** The page that asked, when a browser asked. */
  readonly openerOrigin?: string;
  /** SHA-256 of the cookie without which the return is refused. */
  readonly cookieHash?: string;
  /** The PKCE verifier as ciphertext. */
  readonly sealedVerifier: string;
}

export interface NewOAuthState extends Omit<OAuthState, 'sealedVerifier'> {
  readonly verifier: SealedCredentials;
}

/** Invariant: a state is given out once, however many ask, and never after its end. */
export interface OAuthStateStore {
  /** @param lifeMs how long it can be taken, by the database's clock */
  save(state: NewOAuthState, lifeMs: number): Promise<void>;
  /** Takes it away. Undefined when it was never there, was taken before, or has ended. */
  take(key: OAuthStateKey): Promise<OAuthState | undefined>;
}

interface OAuthStateRow {
  project_id: string;
  state_hash: string;
  provider: string;
  provider_app_id: string;
  group_ref: string;
  group_name: string | null;
  consumer_ref: string;
  consumer_name: string | null;
  provider_workspace_ref: string | null;
  provider_metadata: string | null;
  connection_id: string | null;
  redirect_uri: string;
  opener_origin: string | null;
  cookie_hash: string | null;
  sealed_verifier: string;
  is_live: boolean;
}

export function oauthStateStore(database: Knex): OAuthStateStore {
  return translated<OAuthStateStore>({
    save: async (state, lifeMs) => {
      // Whoever begins sweeps the project: nobody comes back for these.
      const ended = database('oauth_states').where({ project_id: state.projectId });
      await ended.where('expires_at', '<', database.raw('now()')).delete();
      const expiresAt = database.raw('now() + make_interval(secs => ?::float8 / 1000)', [lifeMs]);
      await database('oauth_states').insert({ ...toRow(state), expires_at: expiresAt });
    },
    take: async ({ projectId, stateHash }) => {
      const [row] = await database('oauth_states')
        .where({ project_id: projectId, state_hash: stateHash })
        .delete()
        .returning<OAuthStateRow[]>(['*', database.raw('expires_at > now() as is_live') as never]);
      return row?.is_live ? toState(row) : undefined;
    },
  });
}

function toRow(state: NewOAuthState) {
  const { providerMetadata, verifier } = state;
  return {
    project_id: state.projectId,
    state_hash: state.stateHash,
    provider: state.provider,
    provider_app_id: state.providerAppId,
    group_ref: state.groupRef,
    group_name: state.groupName,
    consumer_ref: state.consumerRef,
    consumer_name: state.consumerName,
    provider_workspace_ref: state.workspaceRef,
    provider_metadata: providerMetadata && JSON.stringify(providerMetadata),
    connection_id: state.connectionId,
    redirect_uri: state.redirectUri,
    opener_origin: state.openerOrigin,
    cookie_hash: state.cookieHash,
    sealed_verifier: verifier.text,
    seal_key_id: verifier.keyId,
  };
}

function toState(row: OAuthStateRow): OAuthState {
  const metadata = row.provider_metadata;
  return {
    projectId: row.project_id,
    stateHash: row.state_hash,
    provider: row.provider,
    providerAppId: row.provider_app_id,
    groupRef: row.group_ref,
    ...(row.group_name === null ? {} : { groupName: row.group_name }),
    consumerRef: row.consumer_ref,
    ...(row.consumer_name === null ? {} : { consumerName: row.consumer_name }),
    ...(row.provider_workspace_ref === null ? {} : { workspaceRef: row.provider_workspace_ref }),
    ...(metadata === null
      ? {}
      : { providerMetadata: JSON.parse(metadata) as NonNullable<OAuthState['providerMetadata']> }),
    ...(row.connection_id === null ? {} : { connectionId: row.connection_id }),
    redirectUri: row.redirect_uri,
    ...(row.opener_origin === null ? {} : { openerOrigin: row.opener_origin }),
    ...(row.cookie_hash === null ? {} : { cookieHash: row.cookie_hash }),
    sealedVerifier: row.sealed_verifier,
  };
}
