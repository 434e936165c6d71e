import { consumerSchema, groupSchema, type Consumer, type Group } from './group';
import {
  choice,
  closedObject,
  listOf,
  mapOf,
  momentText,
  openObject,
  scopeText,
  secretText,
  text,
  type Described,
} from './json-schema';
import { providerAppSchema, type ProviderApp } from './provider-app';

/** How a connection authenticates at its provider. Source: specification, Connection. */
export const authSchemes = [
  'none',
  'apiKey',
  'basic',
  'oauth2/authorizationCode',
  'oauth2/authorizationCodePKCE',
  'oauth2/clientCredentials',
  'oauth2/password',
] as const;
export type AuthScheme = (typeof authSchemes)[number];

/**
 * `created`: just created, or its token just refreshed. `working`: used successfully. `bad_credentials`: a request or
 * a refresh hit credential problems. Source: specification, Connection status.
 */
export const connectionStatuses = ['created', 'working', 'bad_credentials'] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** Log event of a status change that a person must know: credentials stop working, or work again. */
export function statusEvent(
  before: ConnectionStatus,
  after: ConnectionStatus,
): 'connection.bad-credentials' | 'connection.restored' | undefined {
  const [wasBad, isBad] = [before === 'bad_credentials', after === 'bad_credentials'];
  if (wasBad === isBad) return undefined;
  return isBad ? 'connection.bad-credentials' : 'connection.restored';
}

/** A customer's access to a provider account. Secrets are absent unless they are asked for. Source: specification. */
export interface Connection {
  readonly id: string;
  readonly projectId: string;
  readonly provider: string;
  readonly providerApp?: ProviderApp;
  readonly group: Group;
  readonly consumer: Consumer;
  /** The provider's workspace, as the provider itself reports it. */
  readonly providerWorkspaceRef?: string;
  /** The provider's own id for the user. */
  readonly providerConsumerRef?: string;
  readonly createTime: string;
  readonly updateTime?: string;
  readonly authScheme: AuthScheme;
  readonly status: ConnectionStatus;
  /** Secret. */
  readonly oauth2AuthorizationCode?: OAuth2AuthorizationCode;
  /** Secret. */
  readonly apiKey?: string;
  /** `workspace` is the `providerWorkspaceRef`, under the name that published clients know. */
  readonly providerMetadata?: Described<typeof providerMetadataSchema>;
}

/** The values alone, by name. */
export function metadataValues(
  metadata: NonNullable<Connection['providerMetadata']>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata).map(([name, { value }]) => [name, value]));
}

const tokenSchema = closedObject('A token of the provider.', ['token'], {
  token: { ...secretText, description: 'The token. Secret.' },
  issuedAt: momentText('When it was issued.'),
  expiresAt: momentText('When it ends.'),
});

/** Tokens of an authorization code grant; in requests and replies. */
export const oauth2AuthorizationCodeSchema = closedObject('Tokens of an authorization code grant.', {
  accessToken: tokenSchema,
  refreshToken: tokenSchema,
  scopes: listOf('Granted scopes.', scopeText),
});
export type OAuth2AuthorizationCode = Described<typeof oauth2AuthorizationCodeSchema>;
export type OAuth2Token = Described<typeof tokenSchema>;

/** Provider-specific values of a connection; in requests and replies. */
export const providerMetadataSchema = mapOf(
  'Metadata name to its value, at most 16 kB in all; `workspace` is the providerWorkspaceRef.',
  closedObject('A value.', ['value', 'source'], {
    value: text('The value.'),
    source: choice('Where it comes from.', ['input', 'token', 'provider']),
    displayName: text('Shown name.'),
  }),
);
export type ProviderMetadataItem = Described<typeof providerMetadataSchema>[string];

export const connectionSchema = openObject(
  "A customer's access to a provider account.",
  ['id', 'projectId', 'provider', 'group', 'consumer', 'createTime', 'authScheme', 'status'],
  {
    id: text('Connection id.'),
    projectId: text('Project of the connection.'),
    provider: text('The SaaS provider.'),
    providerApp: providerAppSchema,
    group: groupSchema,
    consumer: consumerSchema,
    providerWorkspaceRef: text("The provider's workspace."),
    providerConsumerRef: text("The provider's own id for the user."),
    createTime: momentText('When it was created.'),
    updateTime: momentText('When it was last changed.'),
    authScheme: choice('How it authenticates.', authSchemes),
    status: choice('Whether its credentials work.', connectionStatuses),
    oauth2AuthorizationCode: oauth2AuthorizationCodeSchema,
    apiKey: text('Secret; only on request.'),
    providerMetadata: providerMetadataSchema,
  },
);
