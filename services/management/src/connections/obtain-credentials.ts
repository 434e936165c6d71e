import type { Connector, FreshTokens, TokenGrant } from '@sluice/connectors';
import {
  authSchemeOf,
  credentialMemberOf,
  credentialMembersFor,
  credentialsOf,
  metadataValues,
  type AuthScheme,
  type ConnectionRequest,
  type CredentialMember,
  type Credentials,
} from '@sluice/types';
import { isRefusal } from './learn-account';
import { contradiction } from '../refuse-issues';

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

/** Where a refused credential stands in a body, and for whom. */
export interface CredentialOrder {
  readonly connector: Connector;
  readonly request: ConnectionRequest;
  readonly traceparent: string;
  /** Path of the request in the body; empty at its top. */
  readonly path: string;
}

/** The place of the secret within its member. */
const secretOf: Partial<Record<CredentialMember, string>> = {
  oauth2AuthorizationCode: 'oauth2AuthorizationCode.accessToken.token',
};

/**
 * Takes given credentials; for client credentials and a user's password it asks the provider for a token first.
 * @throws ValidationError 422 for a scheme that the provider does not take, naming those it takes, and for refused credentials
 * @throws ProviderError when the provider gives no token for another reason
 */
export async function obtainCredentials(order: CredentialOrder): Promise<ObtainedCredentials> {
  const { connector, request, path } = order;
  const authScheme = authSchemeOf(request);
  const member = credentialMemberOf(request);
  if (!connector.authSchemes.includes(authScheme)) throw unsupported(order, authScheme);
  const name = member === undefined ? `${path}provider` : `${path}${secretOf[member] ?? member}`;
  const given = { authScheme, member: name, credentials: credentialsOf(request) };
  const grant = grantOf(request);
  if (grant !== undefined) return withTokens(given, await askForToken(order, grant, name));
  const { expiresAt } = given.credentials;
  const scopes = request.oauth2AuthorizationCode?.scopes;
  return {
    ...given,
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { expiresInMs: Date.parse(expiresAt) - Date.now() }),
  };
}

/** Tokens put beside the credentials that they came from, or that have no others. */
export function withTokens<T extends Pick<ObtainedCredentials, 'credentials'>>(given: T, tokens: FreshTokens) {
  const { accessToken, refreshToken, expiresAt, scopes, workspaceRef } = tokens;
  const credentials: Credentials = {
    ...given.credentials,
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(expiresAt === undefined ? {} : { expiresAt: expiresAt.toISOString() }),
  };
  return {
    ...given,
    credentials,
    ...(scopes === undefined ? {} : { scopes }),
    ...(expiresAt === undefined ? {} : { expiresInMs: expiresAt.getTime() - Date.now() }),
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
  };
}

type Grant =
  | { readonly grantType: 'client_credentials'; readonly clientId: string; readonly clientSecret: string }
  | (NonNullable<Credentials['passwordCredentials']> & { readonly grantType: 'password' });

function grantOf(request: ConnectionRequest): Grant | undefined {
  const { clientCredentials, passwordCredentials } = credentialsOf(request);
  if (clientCredentials) return { grantType: 'client_credentials', ...clientCredentials };
  if (passwordCredentials) return { grantType: 'password', ...passwordCredentials };
  return undefined;
}

async function askForToken({ connector, request, traceparent }: CredentialOrder, grant: Grant, name: string) {
  const { providerWorkspaceRef: workspaceRef, providerMetadata: metadata } = request;
  const asked: TokenGrant = {
    ...grant,
    traceparent,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(metadata === undefined ? {} : { metadata: metadataValues(metadata) }),
  };
  try {
    return await (connector.grant as NonNullable<Connector['grant']>)(asked);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw contradiction({
      code: 'connection.scheme-mismatch',
      name,
      detail: `is refused by ${connector.provider}: ${error.detail.replace(/\.$/, '')}`,
      remedy: 'Send credentials that the provider accepts now.',
    });
  }
}

function unsupported({ connector, request, path }: CredentialOrder, scheme: AuthScheme) {
  const { provider, authSchemes } = connector;
  const members = credentialMembersFor(authSchemes).map((member) => secretOf[member] ?? member);
  const sent = credentialMemberOf(request);
  return contradiction({
    code: 'connection.scheme-mismatch',
    name: `${path}${sent ?? members[0]}`,
    detail: `cannot make a connection: ${provider} takes no ${scheme}, only ${authSchemes.join(', ')} (${members.join(', ')})`,
    remedy: 'Send credentials of one of these schemes.',
  });
}
