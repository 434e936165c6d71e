import type { FreshTokens } from '@sluice/connectors';
import type { OAuthState } from '@sluice/store';
import { isSameWorkspace } from '@sluice/types';
import type { ManagementContext } from '../context';
import type { ReportedAccount } from './learn-account';
import { withTokens } from './obtain-credentials';
import { contradiction } from '../refuse-issues';
import { toNewCredentials } from './update-connection';

/** Tokens of a customer who allowed the app in, and the account they open. */
export interface AuthorizedAccount {
  readonly state: OAuthState;
  /** What the provider said of the account's place; the state's metadata has it too. */
  readonly toldMetadata?: NonNullable<OAuthState['providerMetadata']>;
  readonly tokens: FreshTokens;
  readonly account: ReportedAccount;
}

/**
 * Puts the tokens into the connection they were asked for, else into the group's connection to the account, else into a new
 * one. @returns the id of the connection
 * @throws ValidationError when the connection they were asked for belongs to another account, or is gone
 */
export async function storeAuthorized(context: ManagementContext, authorized: AuthorizedAccount): Promise<string> {
  const { state, account } = authorized;
  const { projectId, provider, groupRef } = state;
  if (state.connectionId !== undefined) await refuseOtherAccount(context, authorized, state.connectionId);
  const known =
    state.connectionId ??
    (account.workspaceRef === undefined
      ? undefined
      : await context.store.connections.findAuthorized({
          projectId,
          provider,
          groupRef,
          accountRef: account.workspaceRef,
        }));
  if (known !== undefined) return await renew(context, authorized, known);
  const { id, isNew } = await create(context, authorized);
  // Another return of the same customer came first: its tokens are the older ones.
  return isNew ? id : await renew(context, authorized, id);
}

async function refuseOtherAccount(
  { store }: ManagementContext,
  { state, account }: AuthorizedAccount,
  connectionId: string,
): Promise<void> {
  const known = await store.connections.findAccountRef({ projectId: state.projectId, connectionId });
  const { workspaceRef } = account;
  if (known === undefined || workspaceRef === undefined || isSameWorkspace(known, workspaceRef)) return;
  const detail = `belongs to the account ${known}, and ${workspaceRef} was chosen; begin again and choose ${known}`;
  throw contradiction({ code: 'connection.scheme-mismatch', name: 'The connection', detail });
}

async function renew(
  context: ManagementContext,
  { state, tokens, account, toldMetadata }: AuthorizedAccount,
  connectionId: string,
): Promise<string> {
  const { projectId, providerAppId } = state;
  const { workspaceRef, consumerRef } = account;
  // Of a connection that connects again the state repeats what there was; it may have been changed meanwhile.
  const addedMetadata = state.connectionId === undefined ? state.providerMetadata : toldMetadata;
  const credentials = {
    ...toNewCredentials(context, connectionId, withTokens({ credentials: {} }, tokens)),
    authScheme: 'oauth2/authorizationCodePKCE' as const,
    providerAppId,
  };
  const isThere = await context.store.connections.change({
    projectId,
    connectionId,
    credentials,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(consumerRef === undefined ? {} : { providerConsumerRef: consumerRef }),
    ...(addedMetadata === undefined ? {} : { addedMetadata }),
  });
  if (!isThere) {
    const detail = 'was deleted meanwhile; begin again';
    throw contradiction({ code: 'connection.scheme-mismatch', name: 'The connection', detail });
  }
  context.logger.info({ projectId, connectionId }, 'connection.connected-again');
  return connectionId;
}

async function create(context: ManagementContext, { state, tokens, account }: AuthorizedAccount) {
  const { projectId, groupName, consumerName, providerMetadata } = state;
  const { credentials, scopes, expiresInMs } = withTokens({ credentials: {} }, tokens);
  const { workspaceRef = state.workspaceRef } = account;
  const made = await context.store.connections.createUnlessAuthorized({
    projectId,
    provider: state.provider,
    providerAppId: state.providerAppId,
    groupRef: state.groupRef,
    consumerRef: state.consumerRef,
    authScheme: 'oauth2/authorizationCodePKCE',
    ...(groupName === undefined ? {} : { groupName }),
    ...(consumerName === undefined ? {} : { consumerName }),
    ...(account.workspaceRef === undefined ? {} : { reportedAccountRef: account.workspaceRef }),
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(account.consumerRef === undefined ? {} : { providerConsumerRef: account.consumerRef }),
    ...(providerMetadata === undefined ? {} : { providerMetadata }),
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresInMs === undefined ? {} : { tokenExpiresInMs: expiresInMs }),
    seal: (connectionId) => context.installations.seal(connectionId, credentials),
  });
  if (made.isNew) context.logger.info({ projectId, connectionId: made.id }, 'connection.created');
  return made;
}
