import { oauth2AuthorizationCodeSchema, providerMetadataSchema } from './connection';
import { closedObject, listOf, maskOf, nameText, scopeText, secretText, type Described } from './json-schema';

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
    // Ours, beside the published members.
    providerAppId: {
      ...nameText,
      description: "The app of the tokens; the project's newest of the provider when absent.",
    },
  },
);
/** Groups and consumers come to be by it. */
export type GenerateConnectionRequest = Described<typeof generateConnectionRequestSchema>;

export const updateConnectionRequestSchema = closedObject(
  'Changes of a connection; only what updateMask names is used.',
  ['updateMask', 'connection'],
  {
    updateMask: { ...maskOf(connectionUpdatePaths), examples: [['oauth2AuthorizationCode']] },
    connection: closedObject('The new values.', members),
  },
);
export type UpdateConnectionRequest = Described<typeof updateConnectionRequestSchema>;

/** What a connection can be given. Source: published API, ConnectionRequest. */
export type ConnectionRequest = UpdateConnectionRequest['connection'];
