import { configContentSchema, type ConfigContent } from './config-content';
import { moment } from './json-schema';
import type { JsonPatchOperation } from './installation-request';

/** One state of an installation's configuration; each change is a new one. Source: specification, Config. */
export interface Config {
  readonly id: string;
  /** The revision that was current when the config was written. */
  readonly revisionId: string;
  readonly createTime: string;
  /** `consumer:<consumerRef>`, `builder:<id>` or `api:<caller>`. */
  readonly createdBy: string;
  readonly content: ConfigContent;
}

/** Schema of the resource in replies. */
export const configSchema = {
  type: 'object',
  description: 'A configuration of an installation.',
  required: ['id', 'revisionId', 'createTime', 'createdBy', 'content'],
  properties: {
    id: { type: 'string', description: 'Config id.' },
    revisionId: { type: 'string', description: 'The revision that was current then.' },
    createTime: { ...moment, description: 'When the config was written.' },
    createdBy: { type: 'string', description: 'Who wrote it: consumer:<ref>, builder:<id> or api:<caller>.' },
    content: configContentSchema,
  },
} as const;

/**
 * A config of an installation's history with what it changed. Configs are immutable; each change of an installation's
 * content is a new one. Spec is silent; we chose this shape, see rulings.
 */
export interface ConfigVersion extends Config {
  /** The config before it. Absent: it is the first. */
  readonly previousConfigId?: string;
  /** What turned the previous content into this one: a JSON Patch, relative to the content. Absent: it is the first. */
  readonly changes?: readonly JsonPatchOperation[];
}

/** Schema of the resource in replies. */
export const configVersionSchema = {
  ...configSchema,
  description: 'A config of an installation, with what it changed.',
  properties: {
    ...configSchema.properties,
    previousConfigId: { type: 'string', description: 'The config before it. Absent: it is the first.' },
    changes: {
      type: 'array',
      description: 'What turned the previous content into this one, as a JSON Patch. Absent: it is the first.',
      items: {
        type: 'object',
        description: 'One change of the content.',
        required: ['op', 'path'],
        properties: {
          op: { type: 'string', enum: ['add', 'remove', 'replace'], description: 'What was done.' },
          path: { type: 'string', description: 'Where: a JSON pointer into the content.' },
          value: { description: 'The new value, except for remove.' },
        },
      },
    },
  },
} as const;
