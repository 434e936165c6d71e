import { DefectError, SluiceError } from '@sluice/errors';
import { reportedMetadata } from '@sluice/installations';
import type { OAuthState } from '@sluice/store';
import { metadataValues } from '@sluice/types';
import type { ManagementContext } from '../context';
import { hashOf, isHashed, projectOfSecret } from '../one-time-secrets';
import { contradiction } from '../refusals';
import { logRestored, toNewCredentials } from './change-connection';
import { isOtherAccount, isOtherWorkspace, learnAccount, newConnection, withTokens } from './obtain-credentials';
import type { ObtainedCredentials, ReportedAccount } from './obtain-credentials';

/** How a customer came back from a provider's page. */
export interface Return {
  /** The parameters of the query. */
  readonly query: Readonly<Record<string, string>> & {
    readonly state?: string;
    readonly code?: string;
    readonly error?: string;
    readonly error_description?: string;
  };
  /** The cookie that ties it to the browser that began, where it came with one. */
  readonly cookie: string | undefined;
  readonly traceparent: string;
}

/** For whom a link was made, so that a person who received another person's link can notice it. */
export interface LinkOwner {
  /** The builder's app: `appName` of the project. */
  readonly app: string;
  /** Name and id of the group. The caller who begins chooses the name; a bearer token fixes the id. */
  readonly group: string;
  readonly provider: string;
}

/** The result for the window that opened the page, and for the person. An unknown link has no owner. */
export type Outcome = { readonly openerOrigin?: string } & (
  | { readonly ok: true; readonly connectionId: string; readonly owner: LinkOwner }
  | { readonly ok: false; readonly error: string; readonly owner?: LinkOwner }
);

/** Characters of a provider's own text that are shown at most. */
const wordsMax = 500;

/** Takes what was begun, once. Undefined: the state is unknown, was taken before or has ended. */
export async function takeAuthorization({ store }: ManagementContext, secret = ''): Promise<OAuthState | undefined> {
  const projectId = projectOfSecret(secret);
  // A state that is not of our form is not looked up.
  return projectId === undefined ? undefined : await store.oauthStates.take({ projectId, stateHash: hashOf(secret) });
}

/**
 * Joins a return with what was begun, changes its code into tokens and stores them. Never throws for what a customer, a
 * provider or a stranger does: the outcome is shown on a page.
 */
export async function finishAuthorization(
  context: ManagementContext,
  state: OAuthState | undefined,
  returned: Return,
): Promise<Outcome> {
  if (state === undefined) {
    const error = 'This link is unknown, was used before, or is older than ten minutes. Begin again.';
    return { ok: false, error };
  }
  const { projectId, provider, openerOrigin } = state;
  let owner: LinkOwner | undefined;
  try {
    owner = await ownerOf(context, state);
    return { ok: true, connectionId: await connect(context, state, returned), owner, openerOrigin };
  } catch (error) {
    if (!(error instanceof SluiceError) || error instanceof DefectError) throw error;
    context.logger.warn({ projectId, provider, code: error.code, reason: error.detail }, 'authorization.failed');
    return { ok: false, error: error.detail, owner, openerOrigin };
  }
}

async function ownerOf({ store, connectors }: ManagementContext, state: OAuthState): Promise<LinkOwner> {
  const { projectId, provider, groupRef, groupName = groupRef } = state;
  const project = await store.projects.find(projectId, projectId);
  return {
    app: project?.appName ?? projectId,
    group: groupName === groupRef ? groupRef : `${groupName} (${groupRef})`,
    provider: connectors.find(provider)?.catalogue.displayName ?? provider,
  };
}

async function connect(context: ManagementContext, state: OAuthState, returned: Return): Promise<string> {
  const { projectId, cookieHash, provider } = state;
  const { query, traceparent } = returned;
  const { code, error, error_description: description } = query;
  if (cookieHash !== undefined && !isHashed(returned.cookie, cookieHash))
    throw refused('was begun in another browser; begin again in this one');
  if (error !== undefined) {
    const words = description === undefined ? error : `${description} (${error})`;
    throw refused(`was ended by ${provider}: ${words.replace(/\p{Cc}+/gu, ' ').slice(0, wordsMax)}`);
  }
  if (code === undefined) throw refused(`came back from ${provider} without a code; begin again`);
  // Before anything is sent: the code and the app's secret go to the place that the return names.
  const ofReturn = returnedMetadata(context, provider, query);
  const begun = withMetadata(state, ofReturn);
  const tokens = await context.installations.exchangeCode({ code, state: begun, traceparent });
  const { accessToken, workspaceRef: named, accountId: id, consumerRef: user } = tokens;
  const reported = { ...ofReturn, ...reportedMetadata(tokens.metadata ?? {}) };
  const addressed = withMetadata(state, reported);
  const metadata = addressed.providerMetadata && metadataValues(addressed.providerMetadata);
  // The address that was begun with may be the account's old one.
  const auth = { accessToken, workspaceRef: named ?? state.workspaceRef, metadata };
  const asked = await learnAccount(context, projectId, context.connectors.get(provider), { auth, traceparent });
  // The provider's answer to a question, else what its token reply says.
  const account = {
    workspaceRef: asked.workspaceRef ?? named,
    accountId: asked.accountId ?? id,
    consumerRef: asked.consumerRef ?? user,
  };
  const [wanted, chosen] = [state.workspaceRef, account.workspaceRef];
  const isRenamed = account.accountId !== undefined && (await isKnown(context, state, account.accountId));
  if (isOtherWorkspace(wanted, chosen) && !isRenamed)
    throw refused(`is for the workspace ${wanted}, and ${chosen} was chosen; begin again and choose ${wanted}`);
  const authScheme = 'oauth2/authorizationCodePKCE' as const;
  const obtained = { authScheme, member: 'code', ...withTokens({ credentials: {} }, tokens) };
  return await storeAuthorized(context, { state: addressed, obtained, account, reported });
}

/** Whether this account id is that of the connection that connects again, whatever its name was at the beginning. */
async function isKnown(
  { store }: ManagementContext,
  { projectId, connectionId }: OAuthState,
  accountId: string,
): Promise<boolean> {
  if (connectionId === undefined) return false;
  return (await store.connections.findAccount({ projectId, connectionId })).accountId === accountId;
}

/** The address that the provider reports overrides the one given when the authorization began. */
function withMetadata(state: OAuthState, reported: NonNullable<OAuthState['providerMetadata']>): OAuthState {
  if (Object.keys(reported).length === 0) return state;
  return { ...state, providerMetadata: { ...state.providerMetadata, ...reported } };
}

const refused = (detail: string) => contradiction({ name: 'The connection', detail });

/**
 * Where the parameters of a customer's return say that the account is; empty where they say nothing.
 * @throws ValidationError for a parameter that names no place of the provider, or another one than its neighbour
 */
function returnedMetadata(
  { connectors }: ManagementContext,
  provider: string,
  parameters: Readonly<Record<string, string>>,
): NonNullable<OAuthState['providerMetadata']> {
  const address = connectors.get(provider).returnedAddress?.(parameters);
  if (address === undefined) return {};
  if (address.ok) return reportedMetadata(address.metadata, 'provider');
  const { parameter, rule, value } = address;
  throw contradiction({
    name: `The parameter ${parameter} of the return from ${provider}`,
    detail: `must be ${rule}, not '${value}'; begin again, with an account at one of its places`,
    value,
  });
}

/** Tokens of a customer who allowed the app in, and the account they open. */
interface AuthorizedAccount {
  readonly state: OAuthState;
  /** What the provider said of the account's place; the state's metadata has it too. */
  readonly reported: NonNullable<OAuthState['providerMetadata']>;
  readonly obtained: ObtainedCredentials;
  readonly account: ReportedAccount;
}

/**
 * Puts the tokens into the connection they were asked for, else into the group's connection to the account, else into a new
 * one. @returns the id of the connection
 * @throws ValidationError when the connection they were asked for belongs to another account, or is gone
 */
async function storeAuthorized(context: ManagementContext, authorized: AuthorizedAccount): Promise<string> {
  const { state, obtained, account } = authorized;
  const { projectId, provider, groupRef, connectionId } = state;
  const { workspaceRef: accountRef, accountId } = account;
  const { connections } = context.store;
  if (connectionId !== undefined) {
    const own = await connections.findAccount({ projectId, connectionId });
    if (isOtherAccount(own, account)) {
      const known = own.accountRef ?? own.accountId;
      throw refused(`belongs to the account ${known}, and ${accountRef} was chosen; begin again and choose ${known}`);
    }
    return await renew(context, authorized, connectionId);
  }
  const known =
    accountRef && (await connections.findAuthorized({ projectId, provider, groupRef, accountRef, accountId }));
  if (known !== undefined) return await renew(context, authorized, known);
  const { id, isNew } = await connections.createUnlessAuthorized(newConnection(context, state, obtained, account));
  // Another return of the same customer came first: its tokens are the older ones.
  if (!isNew) return await renew(context, authorized, id);
  context.logger.info({ projectId, connectionId: id }, 'connection.created');
  return id;
}

async function renew(
  context: ManagementContext,
  { state, obtained, account, reported }: AuthorizedAccount,
  connectionId: string,
): Promise<string> {
  const { projectId, providerAppId, connectSessionId } = state;
  const before = await context.store.connections.find(projectId, connectionId);
  const reportedOnly = Object.keys(reported).length > 0 ? reported : undefined;
  const { authScheme } = obtained;
  const isThere = await context.store.connections.change({
    projectId,
    connectionId,
    connectSessionId,
    credentials: { ...toNewCredentials(context, connectionId, obtained), authScheme, providerAppId },
    workspaceRef: account.workspaceRef,
    accountId: account.accountId,
    providerConsumerRef: account.consumerRef,
    // Of a connection that connects again the state repeats what there was; it may have been changed meanwhile.
    addedMetadata: state.connectionId === undefined ? state.providerMetadata : reportedOnly,
  });
  if (!isThere) throw refused('was deleted meanwhile; begin again');
  context.logger.info({ projectId, connectionId }, 'connection.connected-again');
  if (before !== undefined) logRestored(context, before, state.groupRef);
  return connectionId;
}
