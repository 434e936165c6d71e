import {
  oauth2AuthorizationCodeSchema,
  providerMetadataSchema,
  type OAuth2AuthorizationCode,
  type ProviderMetadataItem,
} from './connection';
import { closedObject, listOf, maskOf, nameText, scopeText, secretText } from './json-schema';

/** What a connection can be given. Source: published API, ConnectionRequest. */
export interface ConnectionRequest {
  readonly providerWorkspaceRef?: string;
  readonly providerMetadata?: Readonly<Record<string, ProviderMetadataItem>>;
  readonly groupRef?: string;
  /** @default groupRef */
  readonly groupName?: string;
  readonly consumerRef?: string;
  /** @default consumerRef */
  readonly consumerName?: string;
  readonly provider?: string;
  /** Secret. */
  readonly apiKey?: string;
  readonly customAuth?: Readonly<Record<string, unknown>>;
  readonly basicAuth?: { readonly username: string; readonly password: string };
  readonly oauth2ClientCredentials?: {
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scopes?: readonly string[];
  };
  readonly oauth2PasswordCredentials?: {
    readonly username: string;
    readonly password: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly scopes?: readonly string[];
  };
  readonly oauth2AuthorizationCode?: OAuth2AuthorizationCode;
}

/** Makes a connection from given credentials. Groups and consumers come to be by it. */
export interface GenerateConnectionRequest extends ConnectionRequest {
  readonly groupRef: string;
  readonly consumerRef: string;
  readonly provider: string;
  /** The app that the tokens were issued to; ours, beside the published members. @default the project's newest of the provider */
  readonly providerAppId?: string;
}

/** Paths that an update of a connection may name. Source: published API; `oauth2AuthorizationCode` is ours. */
export const connectionUpdatePaths = [
  'providerWorkspaceRef',
  'providerMetadata',
  'apiKey',
  'basicAuth',
  'oauth2ClientCredentials',
  'oauth2PasswordCredentials',
  'oauth2AuthorizationCode',
] as const;

export interface UpdateConnectionRequest {
  readonly updateMask: readonly (typeof connectionUpdatePaths)[number][];
  readonly connection: ConnectionRequest;
}

const username = { ...nameText, description: 'User name.' } as const;
const password = { ...secretText, description: 'Password. Secret.' } as const;
const emptyPassword = { ...password, minLength: 0, pattern: '^[^\\u0000]*$' } as const;
const clientId = { ...nameText, description: 'OAuth client id.' } as const;
const clientSecret = { ...secretText, description: 'OAuth client secret.' } as const;
const scopes = listOf('OAuth scopes.', scopeText);
/** The whole object: a secret may be sent in its place. */
const credentials = { type: 'object', writeOnly: true, additionalProperties: false } as const;

const members = {
  providerWorkspaceRef: { ...nameText, description: "The provider's workspace." },
  providerMetadata: providerMetadataSchema,
  groupRef: { ...nameText, description: "The builder's id of the group." },
  groupName: { ...nameText, description: 'Name of the group; groupRef when absent.' },
  consumerRef: { ...nameText, description: "The builder's id of the user." },
  consumerName: { ...nameText, description: 'Name of the user; consumerRef when absent.' },
  provider: { ...nameText, description: 'The SaaS provider, such as hubspot.' },
  apiKey: { ...secretText, description: 'API key. Secret.' },
  customAuth: { type: 'object', writeOnly: true, description: 'Inputs of a custom scheme. Secret.' },
  basicAuth: {
    ...credentials,
    description: 'User name and password, which may be empty.',
    required: ['username', 'password'],
    // Source: RFC 7617, section 2: an empty password is one. Forms send it where the user name is the key.
    properties: { username, password: emptyPassword },
  },
  oauth2ClientCredentials: {
    ...credentials,
    description: 'Client credentials grant.',
    required: ['clientId', 'clientSecret'],
    properties: { clientId, clientSecret, scopes },
  },
  oauth2PasswordCredentials: {
    ...credentials,
    description: 'Password grant.',
    required: ['username', 'password', 'clientId', 'clientSecret'],
    properties: { username, password, clientId, clientSecret, scopes },
  },
  oauth2AuthorizationCode: {
    ...oauth2AuthorizationCodeSchema,
    writeOnly: true,
    examples: [{ accessToken: { token: 'pat-na1-…' } }],
  },
} as const;

export const generateConnectionRequestSchema = closedObject(
  'A new connection with given credentials.',
  ['groupRef', 'consumerRef', 'provider'],
  {
    ...members,
    providerAppId: {
      ...nameText,
      description: "The app of the tokens; the project's newest of the provider when absent.",
    },
  },
);

export const updateConnectionRequestSchema = closedObject(
  'Changes of a connection; only what updateMask names is used.',
  ['updateMask', 'connection'],
  {
    updateMask: { ...maskOf(connectionUpdatePaths), examples: [['oauth2AuthorizationCode']] },
    connection: closedObject('The new values.', members),
  },
);
