import { configContentSchema, updateConfigContentSchema } from './config-content';
import { choice, closedObject, nameText, text, type Described } from './json-schema';
import { limits } from './limits';

const groupRef = { ...nameText, description: "The builder's id of the group.", examples: ['demo-group'] } as const;
const connectionId = { ...nameText, description: 'The connection to use.' } as const;
/** Must belong to the integration; the latest one is used. */
const revisionId = { ...nameText, description: 'A revision of the integration.' } as const;
const createdBy = {
  type: 'string',
  maxLength: 512,
  pattern: '^(consumer|builder|api):[^\\u0000]+$',
  description: 'Who writes the config: consumer:<ref>, builder:<id> or api:<caller>.',
} as const;

/** Source: specification, Installation create and update; the path and the optional members: published API. */
export const createInstallationRequestSchema = closedObject('A new installation.', ['groupRef', 'config'], {
  groupRef,
  connectionId: { ...connectionId, description: "Omitted: the group's default connection." },
  config: closedObject('Its first config.', ['content'], { content: configContentSchema, revisionId, createdBy }),
});
export type CreateInstallationRequest = Described<typeof createInstallationRequestSchema>;

export const updateInstallationRequestSchema = closedObject(
  'Changes of an installation; only what updateMask names is used.',
  ['updateMask', 'installation'],
  {
    updateMask: {
      type: 'array',
      description: 'Paths to change, such as config.content.write.objects.contacts.',
      maxItems: limits.changesMax,
      items: { type: 'string', maxLength: 512 },
      examples: [['connectionId']],
    },
    installation: closedObject('The new values.', {
      connectionId,
      config: closedObject('Of the config.', { content: updateConfigContentSchema, revisionId, createdBy }),
    }),
  },
);
export type UpdateInstallationRequest = Described<typeof updateInstallationRequestSchema>;

/** By `groupRef` or `installationId`. Source: specification, Update installation object. */
export const patchConfigContentRequestSchema = closedObject(
  'JSON Patch on the configuration of one object.',
  ['action', 'changes'],
  {
    groupRef,
    installationId: { ...nameText, description: 'Instead of groupRef.' },
    action: { ...choice('Which configuration.', ['read', 'write', 'subscribe']), examples: ['write'] },
    changes: {
      type: 'array',
      description: 'Applied in order, all or none.',
      minItems: 1,
      maxItems: limits.changesMax,
      items: closedObject('One change.', ['op', 'path'], {
        op: choice('What to do.', ['add', 'remove', 'replace']),
        path: { ...text('RFC 6901.', '/deletionSettings'), maxLength: 1024 },
        value: { description: 'The new value; for add and replace.', examples: [{ enabled: true }] },
      }),
    },
  },
);
export type PatchConfigContentRequest = Described<typeof patchConfigContentRequestSchema>;
/** `add` on a member that exists replaces it. Source: RFC 6902, restricted by the published API. */
export type JsonPatchOperation = PatchConfigContentRequest['changes'][number];
