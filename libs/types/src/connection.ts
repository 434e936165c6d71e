import { consumerSchema, type Consumer } from './consumer';
import { groupSchema, type Group } from './group';
import { moment, scopeText, secretText } from './json-schema';
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
  readonly providerMetadata?: Readonly<Record<string, ProviderMetadataItem>>;
}

export interface OAuth2AuthorizationCode {
  readonly accessToken?: OAuth2Token;
  readonly refreshToken?: OAuth2Token;
  readonly scopes?: readonly string[];
}

export interface OAuth2Token {
  /** Secret. */
  readonly token: string;
  readonly issuedAt?: string;
  readonly expiresAt?: string;
}

export interface ProviderMetadataItem {
  readonly value: string;
  readonly source: 'input' | 'token' | 'provider';
  readonly displayName?: string;
}

/** The values alone, by name. */
export function metadataValues(
  metadata: NonNullable<Connection['providerMetadata']>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(metadata).map(([name, { value }]) => [name, value]));
}

const tokenSchema = {
  type: 'object',
  description: 'A token of the provider.',
  additionalProperties: false,
  required: ['token'],
  properties: {
    token: { ...secretText, description: 'The token. Secret.' },
    issuedAt: { ...moment, description: 'When it was issued.' },
    expiresAt: { ...moment, description: 'When it ends.' },
  },
} as const;

/** Tokens of an authorization code grant; in requests and replies. */
export const oauth2AuthorizationCodeSchema = {
  type: 'object',
  description: 'Tokens of an authorization code grant.',
  additionalProperties: false,
  properties: {
    accessToken: tokenSchema,
    refreshToken: tokenSchema,
    scopes: { type: 'array', description: 'Granted scopes.', items: scopeText },
  },
} as const;

/** Provider-specific values of a connection; in requests and replies. */
export const providerMetadataSchema = {
  type: 'object',
  description: 'Metadata name to its value, at most 16 kB in all; `workspace` is the providerWorkspaceRef.',
  additionalProperties: {
    type: 'object',
    description: 'A value.',
    additionalProperties: false,
    required: ['value', 'source'],
    properties: {
      value: { type: 'string', description: 'The value.' },
      source: { type: 'string', enum: ['input', 'token', 'provider'], description: 'Where it comes from.' },
      displayName: { type: 'string', description: 'Shown name.' },
    },
  },
} as const;

/** Schema of the resource in replies. */
export const connectionSchema = {
  type: 'object',
  description: "A customer's access to a provider account.",
  required: ['id', 'projectId', 'provider', 'group', 'consumer', 'createTime', 'authScheme', 'status'],
  properties: {
    id: { type: 'string', description: 'Connection id.' },
    projectId: { type: 'string', description: 'Project of the connection.' },
    provider: { type: 'string', description: 'The SaaS provider.' },
    providerApp: providerAppSchema,
    group: groupSchema,
    consumer: consumerSchema,
    providerWorkspaceRef: { type: 'string', description: "The provider's workspace." },
    providerConsumerRef: { type: 'string', description: "The provider's own id for the user." },
    createTime: { ...moment, description: 'When it was created.' },
    updateTime: { ...moment, description: 'When it was last changed.' },
    authScheme: { type: 'string', enum: authSchemes, description: 'How it authenticates.' },
    status: { type: 'string', enum: connectionStatuses, description: 'Whether its credentials work.' },
    oauth2AuthorizationCode: oauth2AuthorizationCodeSchema,
    apiKey: { type: 'string', description: 'Secret; only on request.' },
    providerMetadata: providerMetadataSchema,
  },
} as const;
