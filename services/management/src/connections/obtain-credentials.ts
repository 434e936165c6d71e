import type { Connector, FreshTokens } from '@sluice/connectors';
import { ProviderError, type FailureClass } from '@sluice/errors';
import type { KnownAccount, Store } from '@sluice/store';
import {
  authSchemeOf,
  credentialMemberOf,
  credentialMembersFor,
  credentialsOf,
  grantOf,
  isSameWorkspace,
  metadataValues,
} from '@sluice/types';
import type { AuthScheme, ConnectionRequest, CredentialMember, Credentials } from '@sluice/types';
import type { ManagementContext } from '../context';
import { contradiction } from '../refusals';

/** Credentials as they are stored, with the token that opens the account now. */
export interface ObtainedCredentials {
  readonly authScheme: AuthScheme;
  /** Member of the body that brought them, for refusals. */
  readonly member: string;
  readonly credentials: Credentials;
  readonly scopes?: readonly string[];
  /** Life of the access token from now, in milliseconds. Absent: not known. */
  readonly expiresInMs?: number;
  /** Where a token reply says that the account is. */
  readonly workspaceRef?: string;
}

/** The position of a refused credential in a body, and its consumer. */
export interface CredentialOrder {
  readonly connector: Connector;
  readonly request: ConnectionRequest;
  readonly traceparent: string;
  /** Path of the request in the body; empty at its top. */
  readonly path: string;
  /** Scheme of the connection that gets them: it may be one that ends. Absent: a new connection. */
  readonly own?: AuthScheme;
}

/** The path of the secret, where it is not the member itself. */
const secretOf: Partial<Record<CredentialMember, string>> = {
  oauth2AuthorizationCode: 'oauth2AuthorizationCode.accessToken.token',
};

/**
 * Takes given credentials; for client credentials and a user's password it asks the provider for a token first.
 * @throws ValidationError 422 for a scheme that the provider does not take, naming those it takes, and for refused credentials
 * @throws ProviderError when the provider gives no token for another reason
 */
export async function obtainCredentials(order: CredentialOrder): Promise<ObtainedCredentials> {
  const { connector, request, traceparent, path } = order;
  const authScheme = authSchemeOf(request);
  const sent = credentialMemberOf(request);
  if (authScheme !== order.own && !connector.authSchemes.includes(authScheme)) throw unsupported(order, authScheme);
  const member = sent === undefined ? `${path}provider` : `${path}${secretOf[sent] ?? sent}`;
  const given = { authScheme, member, credentials: credentialsOf(request) };
  const grant = grantOf(given.credentials);
  if (grant !== undefined) {
    const { providerWorkspaceRef: workspaceRef, providerMetadata } = request;
    const metadata = providerMetadata && metadataValues(providerMetadata);
    const ask = connector.grant as NonNullable<Connector['grant']>;
    try {
      return withTokens(given, await ask({ ...grant, traceparent, workspaceRef, metadata }));
    } catch (error) {
      throw isRefusal(error) ? refusal(connector, member, error) : error;
    }
  }
  const { expiresAt } = given.credentials;
  const expiresInMs = expiresAt === undefined ? undefined : Date.parse(expiresAt) - Date.now();
  return { ...given, scopes: request.oauth2AuthorizationCode?.scopes, expiresInMs };
}

/** Tokens together with the credentials that they were obtained with, if there are any. */
export function withTokens<T extends Pick<ObtainedCredentials, 'credentials'>>(given: T, tokens: FreshTokens) {
  const { accessToken, refreshToken, expiresAt, scopes, workspaceRef } = tokens;
  const credentials: Credentials = {
    ...given.credentials,
    accessToken,
    refreshToken,
    expiresAt: expiresAt?.toISOString(),
  };
  const expiresInMs = expiresAt && expiresAt.getTime() - Date.now();
  return { ...given, credentials, scopes, expiresInMs, workspaceRef };
}

function unsupported({ connector, request, path }: CredentialOrder, scheme: AuthScheme) {
  const { provider, authSchemes, endingSchemes: { [scheme]: ending } = {} } = connector;
  const members = credentialMembersFor(authSchemes).map((member) => secretOf[member] ?? member);
  return contradiction({
    name: `${path}${credentialMemberOf(request) ?? members[0]}`,
    detail: `cannot make a connection: ${provider} takes no ${ending === undefined ? '' : 'new '}${scheme}, only ${authSchemes.join(', ')} (${members.join(', ')})`,
    remedy:
      ending === undefined
        ? 'Send credentials of one of these schemes.'
        : `${ending}, with POST oauth-connect; a connection of ${scheme} with PATCH connections/{id}:oauth-update.`,
  });
}

/** The provider refused these very credentials. Any other failure says nothing about them. */
const refusals = ['credentials', 'rejected', 'not-found', 'conflict'] as const satisfies readonly FailureClass[];

export function isRefusal(error: unknown): error is ProviderError & { readonly class: (typeof refusals)[number] } {
  return error instanceof ProviderError && refusals.some((one) => one === error.class);
}

/** The error for what a provider refuses. @param name member of the body that brought it */
export function refusal(
  connector: Connector,
  name: string,
  error: ProviderError,
  remedy = `Send ${error.class === 'credentials' ? 'credentials that' : 'what'} the provider accepts now.`,
) {
  return contradiction({
    name,
    detail: `is refused by ${shownName(connector)}: ${error.detail.replace(/\.$/, '')}`,
    remedy,
  });
}

/** As a person knows the provider. */
export const shownName = ({ catalogue, provider }: Connector): string => catalogue.displayName ?? provider;

/** The account that the provider itself reports; empty when it could not be asked. */
export interface ReportedAccount {
  readonly workspaceRef?: string;
  readonly accountId?: string;
  readonly consumerRef?: string;
}

/**
 * Asks the provider which account the credentials open.
 * @throws ProviderError when it refuses them; every other failure is an empty answer
 */
export async function learnAccount(
  { logger }: ManagementContext,
  projectId: string,
  connector: Connector,
  call: Parameters<Connector['workspace']>[0],
): Promise<ReportedAccount> {
  try {
    return await connector.workspace(call);
  } catch (error) {
    if (!(error instanceof ProviderError) || isRefusal(error)) throw error;
    const { provider } = connector;
    logger.warn({ projectId, provider, class: error.class }, 'connection.account-unknown');
    return {};
  }
}

/** Whether both are known, and name different workspaces. */
export function isOtherWorkspace(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && other !== undefined && !isSameWorkspace(one, other);
}

/**
 * Whether what the provider reports is another account than the known one. Its own id decides where both have it; else the names do, which a
 * customer can change.
 */
export function isOtherAccount(known: KnownAccount, reported: ReportedAccount): boolean {
  if (known.accountId !== undefined && reported.accountId !== undefined) return known.accountId !== reported.accountId;
  return isOtherWorkspace(known.accountRef, reported.workspaceRef);
}

/** @throws ValidationError 422 when the credentials open another workspace than the given one */
export function refuseOtherWorkspace(given: string | undefined, reported: string | undefined, name: string): void {
  if (!isOtherWorkspace(given, reported)) return;
  const detail = `does not fit the credentials, which open the workspace ${reported}`;
  throw contradiction({ name, detail, value: given });
}

type NewConnection = Parameters<Store['connections']['create']>[0];

/** The members of a new connection that come from the request or the authorization. */
type ConnectionBasis = Omit<
  NewConnection,
  | 'authScheme'
  | 'reportedAccountRef'
  | 'reportedAccountId'
  | 'providerConsumerRef'
  | 'scopes'
  | 'tokenExpiresInMs'
  | 'seal'
>;

/** A connection of these credentials, to be stored. */
export function newConnection(
  { installations }: ManagementContext,
  basis: ConnectionBasis,
  { authScheme, credentials, scopes, expiresInMs, workspaceRef: named }: ObtainedCredentials,
  account: ReportedAccount,
): NewConnection {
  const { projectId, provider, providerAppId, providerMetadata, connectSessionId } = basis;
  const { groupRef, groupName, consumerRef, consumerName } = basis;
  const group = { groupRef, groupName, consumerRef, consumerName };
  return {
    ...group,
    projectId,
    provider,
    providerAppId,
    providerMetadata,
    connectSessionId,
    authScheme,
    reportedAccountRef: account.workspaceRef,
    reportedAccountId: account.accountId,
    workspaceRef: account.workspaceRef ?? basis.workspaceRef ?? named,
    providerConsumerRef: account.consumerRef,
    scopes,
    tokenExpiresInMs: expiresInMs,
    seal: (id) => installations.seal({ noun: 'connection', id }, credentials),
  };
}
