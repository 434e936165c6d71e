import {
  configContentSchema,
  updateConfigContentSchema,
  type ConfigContent,
  type UpdateConfigContent,
} from './config-content';
import { nameText } from './json-schema';
import { limits } from './limits';

/** Source: specification, Installation create and update; the path and the optional members: published API. */
export interface CreateInstallationRequest {
  readonly groupRef: string;
  /** Omitted: the group's default connection. */
  readonly connectionId?: string;
  readonly config: {
    readonly content: ConfigContent;
    /** Must belong to the integration; the latest one is used. */
    readonly revisionId?: string;
    /** `consumer:`, `builder:` or `api:` and an id. */
    readonly createdBy?: string;
  };
}

/** Only what `updateMask` names is used. Source: specification, Update installation. */
export interface UpdateInstallationRequest {
  readonly updateMask: readonly string[];
  readonly installation: {
    readonly connectionId?: string;
    readonly config?: {
      readonly content?: UpdateConfigContent;
      readonly createdBy?: string;
      readonly revisionId?: string;
    };
  };
}

/** JSON Patch on the configuration of one object. Source: specification, Update installation object. */
export interface PatchConfigContentRequest {
  /** This or `installationId`. */
  readonly groupRef?: string;
  readonly installationId?: string;
  readonly action: 'read' | 'write' | 'subscribe';
  readonly changes: readonly JsonPatchOperation[];
}

/** `add` on a member that exists replaces it. Source: RFC 6902, restricted by the published API. */
export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace';
  /** RFC 6901, relative to the object's configuration: `/deletionSettings`. */
  readonly path: string;
  readonly value?: unknown;
}

const groupRef = { ...nameText, description: "The builder's id of the group." } as const;
const connectionId = { ...nameText, description: 'The connection to use.' } as const;
const revisionId = { ...nameText, description: 'A revision of the integration.' } as const;
const createdBy = {
  type: 'string',
  maxLength: 512,
  pattern: '^(consumer|builder|api):[^\\u0000]+$',
  description: 'Who writes the config: consumer:<ref>, builder:<id> or api:<caller>.',
} as const;

export const createInstallationRequestSchema = {
  type: 'object',
  description: 'A new installation.',
  additionalProperties: false,
  required: ['groupRef', 'config'],
  properties: {
    groupRef,
    connectionId: { ...connectionId, description: "Omitted: the group's default connection." },
    config: {
      type: 'object',
      description: 'Its first config.',
      additionalProperties: false,
      required: ['content'],
      properties: { content: configContentSchema, revisionId, createdBy },
    },
  },
} as const;

export const updateInstallationRequestSchema = {
  type: 'object',
  description: 'Changes of an installation; only what updateMask names is used.',
  additionalProperties: false,
  required: ['updateMask', 'installation'],
  properties: {
    updateMask: {
      type: 'array',
      description: 'Paths to change, such as config.content.write.objects.contacts.',
      maxItems: limits.changesMax,
      items: { type: 'string', maxLength: 512 },
    },
    installation: {
      type: 'object',
      description: 'The new values.',
      additionalProperties: false,
      properties: {
        connectionId,
        config: {
          type: 'object',
          description: 'Of the config.',
          additionalProperties: false,
          properties: { content: updateConfigContentSchema, revisionId, createdBy },
        },
      },
    },
  },
} as const;

export const patchConfigContentRequestSchema = {
  type: 'object',
  description: 'JSON Patch on the configuration of one object.',
  additionalProperties: false,
  required: ['action', 'changes'],
  properties: {
    groupRef,
    installationId: { ...nameText, description: 'In place of groupRef.' },
    action: { type: 'string', enum: ['read', 'write', 'subscribe'], description: 'Which configuration.' },
    changes: {
      type: 'array',
      description: 'Applied in order, all or none.',
      minItems: 1,
      maxItems: limits.changesMax,
      items: {
        type: 'object',
        description: 'One change.',
        additionalProperties: false,
        required: ['op', 'path'],
        properties: {
          op: { type: 'string', enum: ['add', 'remove', 'replace'], description: 'What to do.' },
          path: { type: 'string', maxLength: 1024, description: 'RFC 6901, such as /deletionSettings.' },
          value: { description: 'The new value; for add and replace.' },
        },
      },
    },
  },
} as const;
