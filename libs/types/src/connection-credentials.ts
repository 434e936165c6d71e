import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import type { AuthScheme } from './connection';
import type { ConnectionRequest, UpdateConnectionRequest } from './connection-request';
import type { Credentials } from './credentials';
import { checkNamedWorkspace } from './workspace-metadata';

/** The member of a request that carries credentials, and its scheme. */
const schemes = {
  apiKey: 'apiKey',
  basicAuth: 'basic',
  oauth2AuthorizationCode: 'oauth2/authorizationCode',
  oauth2ClientCredentials: 'oauth2/clientCredentials',
  oauth2PasswordCredentials: 'oauth2/password',
  // `authScheme` has no word for custom schemes (reference/api-surface K21).
  customAuth: 'none',
} as const satisfies Partial<Record<keyof ConnectionRequest, AuthScheme>>;

export type CredentialMember = keyof typeof schemes;

/** At most one kind of credentials; an authorization code grant brings its access token. */
export function checkConnectionCredentials(request: ConnectionRequest, path = ''): Issue[] {
  const at = (name: string) => (path === '' ? name : `${path}.${name}`);
  const given = credentialMembers(request);
  const issues = given
    .slice(1)
    .map((member) =>
      bodyIssue(at(member), `cannot be combined with ${given[0]}: a connection has one kind of credentials`),
    );
  const code = request.oauth2AuthorizationCode;
  if (code && !code.accessToken) {
    issues.push(bodyIssue(at('oauth2AuthorizationCode.accessToken'), 'is required'));
  }
  return issues;
}

/**
 * Rules of an update-connection body, after its schema. Each named field has a value; only `providerMetadata` is cleared by naming it without one. At
 * most one kind of credentials is named. Values beside the mask are ignored.
 */
export function checkUpdateConnectionRequest({ updateMask, connection }: UpdateConnectionRequest): Issue[] {
  const named = maskedConnection({ updateMask, connection });
  const missing = updateMask.flatMap((field) =>
    field === 'providerMetadata' || connection[field] !== undefined
      ? []
      : [bodyIssue(`connection.${field}`, 'is required, because updateMask names it')],
  );
  return [...missing, ...checkConnectionCredentials(named, 'connection'), ...checkNamedWorkspace(named, 'connection.')];
}

/** The values that the mask names. */
export function maskedConnection({
  updateMask,
  connection,
}: UpdateConnectionRequest): UpdateConnectionRequest['connection'] {
  const named = updateMask.filter((field) => connection[field] !== undefined);
  return Object.fromEntries(named.map((field) => [field, connection[field]]));
}

/** The member that carries the credentials; undefined without any. */
export function credentialMemberOf(request: ConnectionRequest): CredentialMember | undefined {
  return credentialMembers(request)[0];
}

/** The members of a request with which connections of these schemes can be made. */
export function credentialMembersFor(of: readonly AuthScheme[]): CredentialMember[] {
  return (Object.keys(schemes) as CredentialMember[]).filter((member) => of.includes(schemes[member]));
}

/** The scheme of the given credentials; `none` without any. */
export function authSchemeOf(request: ConnectionRequest): AuthScheme {
  const [member] = credentialMembers(request);
  return member === undefined ? 'none' : schemes[member];
}

/** The secrets of a request, as they are sealed. Empty without any. */
export function credentialsOf(request: ConnectionRequest): Credentials {
  const { apiKey, basicAuth, oauth2AuthorizationCode: code } = request;
  const client = request.oauth2ClientCredentials;
  const user = request.oauth2PasswordCredentials;
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(basicAuth ? { basicAuth } : {}),
    ...(code?.accessToken ? { accessToken: code.accessToken.token } : {}),
    ...(code?.accessToken?.expiresAt ? { expiresAt: code.accessToken.expiresAt } : {}),
    ...(code?.refreshToken ? { refreshToken: code.refreshToken.token } : {}),
    ...(client ? { clientCredentials: { clientId: client.clientId, clientSecret: client.clientSecret } } : {}),
    ...(user ? { passwordCredentials: withoutScopes(user) } : {}),
  };
}

function withoutScopes({ username, password, clientId, clientSecret }: PasswordGrant) {
  return { username, password, clientId, clientSecret };
}

type PasswordGrant = NonNullable<ConnectionRequest['oauth2PasswordCredentials']>;

function credentialMembers(request: ConnectionRequest): CredentialMember[] {
  return (Object.keys(schemes) as CredentialMember[]).filter((member) => request[member] !== undefined);
}
