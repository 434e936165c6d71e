import { scopes, type Scope } from './caller';
import { moment, nameText } from './json-schema';

/** A key of a project. The key itself is shown once, in the reply that creates it. Source: published API; rulings. */
export interface ApiKey {
  /** Public id: stands in paths and logs. Ours, besides the published members. */
  readonly id: string;
  /** The secret in the 201 that creates it, afterwards the public id. */
  readonly key: string;
  readonly projectId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly active?: boolean;
  readonly createTime?: string;
}

export interface CreateApiKeyRequest {
  readonly label: string;
  /** @default ['full'] */
  readonly scopes?: readonly Scope[];
}

export interface UpdateApiKeyRequest {
  readonly updateMask: readonly (keyof UpdateApiKeyRequest['apiKey'])[];
  readonly apiKey: { readonly label?: string; readonly active?: boolean; readonly scopes?: readonly Scope[] };
}

const label = { ...nameText, description: 'What the key is for.' } as const;
const active = { type: 'boolean', description: 'Whether the key is accepted.' } as const;
const scopeList = {
  type: 'array',
  description: 'What the key may do.',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', enum: scopes },
} as const;

/** Schema of the resource in replies. */
export const apiKeySchema = {
  type: 'object',
  description: 'A key of a project.',
  required: ['id', 'key', 'projectId', 'label', 'scopes'],
  properties: {
    id: { type: 'string', description: 'Public id of the key.' },
    key: { type: 'string', description: 'The key itself in the reply that creates it, afterwards its public id.' },
    projectId: { type: 'string', description: 'Project of the key.' },
    label,
    scopes: scopeList,
    active,
    createTime: { ...moment, description: 'When it was created.' },
  },
} as const;

export const createApiKeyRequestSchema = {
  type: 'object',
  description: 'A new key.',
  additionalProperties: false,
  required: ['label'],
  properties: { label, scopes: { ...scopeList, default: ['full'] } },
} as const;

export const updateApiKeyRequestSchema = {
  type: 'object',
  description: 'Changes of a key; only what updateMask names is used.',
  additionalProperties: false,
  required: ['updateMask', 'apiKey'],
  properties: {
    updateMask: {
      type: 'array',
      description: 'Names of the fields to change.',
      minItems: 1,
      items: { type: 'string', enum: ['active', 'label', 'scopes'] },
    },
    apiKey: {
      type: 'object',
      description: 'The new values.',
      additionalProperties: false,
      properties: { label, active, scopes: scopeList },
    },
  },
} as const;
