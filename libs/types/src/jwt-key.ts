import { moment, nameText } from './json-schema';

/** The public key that a project's bearer tokens are checked with. Source: published API. */
export interface JwtKey {
  /** The `kid` in the header of a token. */
  readonly id: string;
  readonly projectId: string;
  readonly label: string;
  /** Published clients expect `RSA` here, although the request says `RS256`. */
  readonly algorithm: 'RSA';
  readonly publicKeyPem: string;
  readonly active: boolean;
  readonly createTime: string;
  readonly updateTime: string;
}

export interface CreateJwtKeyRequest {
  readonly label: string;
  readonly algorithm: 'RS256';
  readonly publicKeyPem: string;
}

/** 201 of a created key. */
export interface CreateJwtKeyReply {
  readonly kid: string;
}

export interface UpdateJwtKeyRequest {
  readonly updateMask: readonly (keyof UpdateJwtKeyRequest['jwtKey'])[];
  readonly jwtKey: { readonly active?: boolean; readonly label?: string };
}

const label = { ...nameText, description: 'What the key is for.' } as const;
const active = { type: 'boolean', description: 'Whether tokens of the key are accepted.' } as const;
const publicKeyPem = {
  type: 'string',
  maxLength: 16_384,
  pattern: '^\\s*-----BEGIN (RSA )?PUBLIC KEY-----',
  description: 'RSA public key, PEM.',
} as const;

/** Schema of the resource in replies. */
export const jwtKeySchema = {
  type: 'object',
  description: 'A public key that bearer tokens are checked with.',
  required: ['id', 'projectId', 'label', 'algorithm', 'publicKeyPem', 'active', 'createTime', 'updateTime'],
  properties: {
    id: { type: 'string', description: 'The kid of tokens.' },
    projectId: { type: 'string', description: 'Project of the key.' },
    label,
    algorithm: { type: 'string', enum: ['RSA'], description: 'Kind of the key.' },
    publicKeyPem,
    active,
    createTime: { ...moment, description: 'When it was created.' },
    updateTime: { ...moment, description: 'When it was last changed.' },
  },
} as const;

export const createJwtKeyRequestSchema = {
  type: 'object',
  description: 'A new key.',
  additionalProperties: false,
  required: ['label', 'algorithm', 'publicKeyPem'],
  properties: {
    label,
    algorithm: { type: 'string', enum: ['RS256'], description: 'Signature algorithm of the tokens.' },
    publicKeyPem,
  },
} as const;

/** Schema of the 201 reply. */
export const createJwtKeyReplySchema = {
  type: 'object',
  description: 'Id of the new key.',
  required: ['kid'],
  properties: { kid: { type: 'string', description: 'To be named in the header of tokens.' } },
} as const;

export const updateJwtKeyRequestSchema = {
  type: 'object',
  description: 'Changes of a key; only what updateMask names is used.',
  additionalProperties: false,
  required: ['updateMask', 'jwtKey'],
  properties: {
    updateMask: {
      type: 'array',
      description: 'Names of the fields to change.',
      minItems: 1,
      items: { type: 'string', enum: ['active', 'label'] },
    },
    jwtKey: {
      type: 'object',
      description: 'The new values.',
      additionalProperties: false,
      properties: { active, label },
    },
  },
} as const;
