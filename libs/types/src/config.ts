import { configContentSchema, type ConfigContent } from './config-content';
import { choice, listOf, momentText, openObject, text, type Described } from './json-schema';

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

export const configSchema = openObject(
  'A configuration of an installation.',
  ['id', 'revisionId', 'createTime', 'createdBy', 'content'],
  {
    id: text('Config id.'),
    revisionId: text('The revision that was current then.'),
    createTime: momentText('When the config was written.'),
    createdBy: text('Who wrote it: consumer:<ref>, builder:<id> or api:<caller>.'),
    content: configContentSchema,
  },
);

export const authoredConfigSchema = {
  ...configSchema,
  properties: {
    ...configSchema.properties,
    createdByLabel: text('What the key, the person or the user who wrote it is called. Absent for a token.'),
  },
} as const;
/** Of an installation's history. Spec is silent; we chose this shape, see rulings. */
export type AuthoredConfig = Described<typeof authoredConfigSchema>;

export const configVersionSchema = {
  ...authoredConfigSchema,
  description: 'A config of an installation, with what it changed.',
  properties: {
    ...authoredConfigSchema.properties,
    previousConfigId: text('The config before it. Absent: it is the first.'),
    changes: listOf(
      'The changes from the previous content to this one, as a JSON Patch. Absent: it is the first.',
      openObject('One change of the content.', ['op', 'path'], {
        op: choice('What was done.', ['add', 'remove', 'replace']),
        path: text('Where: a JSON pointer into the content.'),
        value: { description: 'The new value, except for remove.' },
      }),
    ),
  },
} as const;
export type ConfigVersion = Described<typeof configVersionSchema>;
