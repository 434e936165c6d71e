import { scopes } from './caller';
import { closedObject, flag, maskOf, momentText, nameText, openObject, text, type Described } from './json-schema';

const label = { ...nameText, description: 'What the key is for.' } as const;
const active = flag('Whether the key is accepted.');
const scopeList = {
  type: 'array',
  description: 'The scopes of the key.',
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
  prefix: text(
    'The first characters of the key, which tell it from others. Absent for a key that was made before 0.4.0.',
  ),
  createTime: momentText('When it was created.'),
  createdBy: text('Who created it: builder:<id of a key or a person>.'),
  createdByLabel: text('What the key or the person that created it is called, while it is known.'),
  lastUseTime: momentText('When it was used last, to the minute.'),
});
/** Source: published API; `id`, for paths and logs, and what follows `createTime` are our additions; rulings. */
export type ApiKey = Described<typeof apiKeySchema>;

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
