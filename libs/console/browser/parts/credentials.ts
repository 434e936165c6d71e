import type { AuthScheme, ConnectionRequest, ProviderInfo } from '@sluice/types';
import type { FormField } from './form';

/** Member of a request that carries credentials. */
export type CredentialKind =
  'oauth2AuthorizationCode' | 'apiKey' | 'basicAuth' | 'oauth2ClientCredentials' | 'oauth2PasswordCredentials';

interface Kind {
  readonly title: string;
  readonly schemes: readonly AuthScheme[];
  readonly fields: readonly FormField[];
}

const secret = (name: string, title: string): FormField => ({ name, title, type: 'password' });

/** What a person types, by kind. Source: specification, generate connection. */
export const credentialKinds: Readonly<Record<CredentialKind, Kind>> = {
  oauth2AuthorizationCode: {
    title: 'Tokens that you have',
    schemes: ['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE'],
    fields: [
      secret('oauth2AuthorizationCode.accessToken.token', 'Access token'),
      { ...secret('oauth2AuthorizationCode.refreshToken.token', 'Refresh token, if there is one'), isOptional: true },
    ],
  },
  apiKey: { title: 'API key', schemes: ['apiKey'], fields: [secret('apiKey', 'API key')] },
  basicAuth: {
    title: 'User and password',
    schemes: ['basic'],
    fields: [{ name: 'basicAuth.username', title: 'User' }, secret('basicAuth.password', 'Password')],
  },
  oauth2ClientCredentials: {
    title: 'Client credentials',
    schemes: ['oauth2/clientCredentials'],
    fields: [
      { name: 'oauth2ClientCredentials.clientId', title: 'Client id' },
      secret('oauth2ClientCredentials.clientSecret', 'Client secret'),
    ],
  },
  oauth2PasswordCredentials: {
    title: 'User, password and client',
    schemes: ['oauth2/password'],
    fields: [
      { name: 'oauth2PasswordCredentials.username', title: 'User' },
      secret('oauth2PasswordCredentials.password', 'Password'),
      { name: 'oauth2PasswordCredentials.clientId', title: 'Client id' },
      secret('oauth2PasswordCredentials.clientSecret', 'Client secret'),
    ],
  },
};

/** The kind that connections of a scheme take. */
export function kindOf(scheme: AuthScheme): CredentialKind {
  const kinds = Object.entries(credentialKinds) as [CredentialKind, Kind][];
  return kinds.find(([, { schemes }]) => schemes.includes(scheme))?.[0] ?? 'apiKey';
}

/**
 * Whether connections of a provider are made with credentials of a kind. Undefined where the catalogue does not say. It lists one form of
 * authentication and the first grant, and connectors may accept others.
 */
export function isTaken(kind: CredentialKind, info: ProviderInfo): boolean | undefined {
  const { authType, oauth2Opts, apiKeyOpts, basicOpts } = info;
  const hasKey = apiKeyOpts !== undefined || basicOpts?.apiKeyAsBasic === true;
  if (kind === 'apiKey') return hasKey;
  if (kind === 'basicAuth') return authType === 'basic' || basicOpts !== undefined || undefined;
  if (oauth2Opts === undefined) return false;
  if (kind === 'oauth2AuthorizationCode') return hasPage(info);
  const own = { clientCredentials: 'oauth2ClientCredentials', password: 'oauth2PasswordCredentials' };
  return own[oauth2Opts.grantType as keyof typeof own] === kind || undefined;
}

/** Whether the provider has a page on which a customer allows the app in. */
function hasPage({ oauth2Opts }: ProviderInfo): boolean {
  return oauth2Opts?.authURL !== undefined;
}

/** The credentials as a request carries them. What was left empty is left out. */
export function credentialsOf(values: Readonly<Record<string, string>>): ConnectionRequest {
  const request: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value === '') continue;
    const path = name.split('.');
    const last = path.pop() ?? name;
    let at = request;
    for (const member of path) at = (at[member] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return request;
}
