import { moment, nameText, scopeText, secretText } from './json-schema';

/** An OAuth app of the builder at a provider. Its secret is never returned. Source: specification, Provider App. */
export interface ProviderApp {
  readonly id: string;
  readonly projectId: string;
  /** The provider's id for the app. */
  readonly externalRef?: string;
  readonly provider: string;
  readonly clientId: string;
  readonly scopes?: readonly string[];
  readonly metadata?: ProviderAppMetadata;
  readonly createTime: string;
  readonly updateTime?: string;
}

export interface ProviderAppMetadata {
  /** Extra query parameters of the authorization URL: name to values. */
  readonly authQueryParams?: Readonly<Record<string, readonly string[]>>;
  /** Provider-specific values. */
  readonly providerParams?: Readonly<Record<string, string>>;
}

export interface CreateProviderAppRequest {
  readonly provider: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly externalRef?: string;
  readonly scopes?: readonly string[];
  readonly metadata?: ProviderAppMetadata;
}

export interface UpdateProviderAppRequest {
  readonly updateMask: readonly (keyof CreateProviderAppRequest)[];
  readonly providerApp: Partial<CreateProviderAppRequest>;
}

const shared = {
  externalRef: { ...nameText, description: "The provider's id for the app." },
  provider: { ...nameText, description: 'The SaaS provider.' },
  clientId: { ...nameText, description: 'OAuth client id.' },
  scopes: { type: 'array', description: 'OAuth scopes.', items: scopeText },
  metadata: {
    type: 'object',
    description: 'Provider-specific values.',
    additionalProperties: false,
    properties: {
      authQueryParams: {
        type: 'object',
        description: 'Extra query parameters of the authorization URL.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
      providerParams: {
        type: 'object',
        description: 'Provider-specific values.',
        additionalProperties: { type: 'string' },
      },
    },
  },
} as const;

const writable = {
  ...shared,
  clientSecret: { ...secretText, maxLength: 4096, description: 'OAuth client secret.' },
} as const;

/** Schema of the resource in replies. */
export const providerAppSchema = {
  type: 'object',
  description: 'An OAuth app of the builder.',
  required: ['id', 'projectId', 'provider', 'clientId', 'createTime'],
  properties: {
    id: { type: 'string', description: 'Id of the app.' },
    projectId: { type: 'string', description: 'Project of the app.' },
    ...shared,
    createTime: { ...moment, description: 'When it was created.' },
    updateTime: { ...moment, description: 'When it was last changed.' },
  },
} as const;

export const createProviderAppRequestSchema = {
  type: 'object',
  description: 'A new app.',
  additionalProperties: false,
  required: ['provider', 'clientId', 'clientSecret'],
  properties: writable,
} as const;

export const updateProviderAppRequestSchema = {
  type: 'object',
  description: 'Changes of an app; only what updateMask names is used.',
  additionalProperties: false,
  required: ['updateMask', 'providerApp'],
  properties: {
    updateMask: {
      type: 'array',
      description: 'Names of the fields to change.',
      minItems: 1,
      items: {
        type: 'string',
        enum: ['externalRef', 'clientId', 'clientSecret', 'provider', 'scopes', 'metadata'],
      },
    },
    providerApp: {
      type: 'object',
      description: 'The new values.',
      additionalProperties: false,
      properties: writable,
    },
  },
} as const;
