import { scopes, type Scope } from './caller';
import { closedObject, flag, maskOf, momentText, nameText, openObject, text, type Described } from './json-schema';

/** A key of a project. The key itself is shown once, in the reply that creates it. Source: published API; rulings. */
export interface ApiKey {
  /** Public id, for paths and logs. Our addition to the published members. */
  readonly id: string;
  /** The secret in the 201 that creates it, afterwards the public id. */
  readonly key: string;
  readonly projectId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly active?: boolean;
  readonly createTime?: string;
}

const label = { ...nameText, description: 'What the key is for.' } as const;
const active = flag('Whether the key is accepted.');
const scopeList = {
  type: 'array',
  description: 'What the key may do.',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', enum: scopes },
} as const;

export const apiKeySchema = openObject('A key of a project.', ['id', 'key', 'projectId', 'label', 'scopes'], {
  id: text('Public id of the key.'),
  key: text('The key itself in the reply that creates it, afterwards its public id.'),
  projectId: text('Project of the key.'),
  label,
  scopes: scopeList,
  active,
  createTime: momentText('When it was created.'),
});

export const createApiKeyRequestSchema = closedObject('A new key.', ['label'], {
  label,
  scopes: { ...scopeList, default: ['full'] },
});
export type CreateApiKeyRequest = Described<typeof createApiKeyRequestSchema>;

export const updateApiKeyRequestSchema = closedObject(
  'Changes of a key; only what updateMask names is used.',
  ['updateMask', 'apiKey'],
  {
    updateMask: maskOf(['active', 'label', 'scopes']),
    apiKey: closedObject('The new values.', { active, label, scopes: scopeList }),
  },
);
export type UpdateApiKeyRequest = Described<typeof updateApiKeyRequestSchema>;
