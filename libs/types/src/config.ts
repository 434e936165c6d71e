import { configContentSchema, type ConfigContent } from './config-content';
import { moment } from './json-schema';

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
