import { nameText } from './json-schema';
import { readObjectConfigSchema, type ReadObjectConfig } from './read-config';
import { writeObjectConfigSchema, type WriteObjectConfig } from './write-config';

/** What an installation configures. Source: specification, Config Content. */
export interface ConfigContent {
  readonly provider: string;
  /** Object name to its configuration; the key equals `objectName`. */
  readonly read?: { readonly objects?: Readonly<Record<string, ReadObjectConfig>> };
  readonly write?: { readonly objects?: Readonly<Record<string, WriteObjectConfig>> };
  /** Stored and returned, nothing executes it. */
  readonly proxy?: { readonly enabled?: boolean };
  /** Published API only: stored and returned, nothing executes it. */
  readonly subscribe?: { readonly objects?: Readonly<Record<string, unknown>> };
}

/** Content of an update: only what its mask names is used, so nothing is required, not even the name of a read object. */
export interface UpdateConfigContent extends Partial<Omit<ConfigContent, 'read'>> {
  readonly read?: { readonly objects?: Readonly<Record<string, Partial<ReadObjectConfig>>> };
}

const members = {
  provider: { ...nameText, description: 'The SaaS API integrated with.' },
  read: {
    type: 'object',
    description: 'Read configuration.',
    additionalProperties: false,
    properties: {
      objects: {
        type: 'object',
        description: 'Object name to its read configuration.',
        additionalProperties: readObjectConfigSchema,
      },
    },
  },
  write: {
    type: 'object',
    description: 'Write configuration.',
    additionalProperties: false,
    properties: {
      objects: {
        type: 'object',
        description: 'Object name to its write configuration.',
        additionalProperties: writeObjectConfigSchema,
      },
    },
  },
  proxy: {
    type: 'object',
    description: 'Stored only.',
    additionalProperties: false,
    properties: { enabled: { type: 'boolean', description: 'Whether proxy calls are allowed.' } },
  },
  subscribe: {
    type: 'object',
    description: 'Stored only.',
    additionalProperties: false,
    properties: { objects: { type: 'object', description: 'Object name to what is subscribed of it.' } },
  },
} as const;

const updateRead = {
  ...members.read,
  properties: {
    objects: {
      ...members.read.properties.objects,
      additionalProperties: {
        ...readObjectConfigSchema,
        description: 'Reading of one object. Its name may be left out: it is the key.',
        required: [],
      },
    },
  },
} as const;

/** Schema of the content in a create request, and in replies. */
export const configContentSchema = {
  type: 'object',
  description: 'What an installation configures.',
  additionalProperties: false,
  required: ['provider'],
  properties: members,
} as const;

/** Schema of the content in an update request: nothing required. */
export const updateConfigContentSchema = {
  type: 'object',
  description: 'What an update changes; only what its mask names is used.',
  additionalProperties: false,
  properties: { ...members, read: updateRead },
} as const;
