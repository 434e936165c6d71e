import { field, readOnly, texts, type FieldDefinition } from '../field-definition';
import type { ObjectDefinition } from '../object-definition';
import { systemFields } from './common-fields';

const kept = { ...readOnly, nillable: false } as const;

const onlyRead = (fields: readonly FieldDefinition[]): FieldDefinition[] =>
  fields.map((one) => ({ ...one, createable: false, updateable: false }));

/** The people of an org. Only the integration user exists; it owns what nobody else owns. */
export const user: ObjectDefinition = {
  name: 'User',
  label: 'User',
  labelPlural: 'Users',
  keyPrefix: '005',
  isWritable: false,
  fields: [
    field('Id', 'id', { ...kept, label: 'User ID' }),
    field('Username', 'string', { ...kept, length: 80 }),
    ...onlyRead(texts('LastName:80 FirstName:40 Name:121 Alias:8')),
    field('Email', 'email', kept),
    field('IsActive', 'boolean', { ...kept, label: 'Active' }),
    ...systemFields,
  ],
};

export const organization: ObjectDefinition = {
  name: 'Organization',
  label: 'Organization',
  labelPlural: 'Organizations',
  keyPrefix: '00D',
  isWritable: false,
  fields: [
    field('Id', 'id', { ...kept, label: 'Organization ID' }),
    ...onlyRead(texts('Name:80 InstanceName:5 OrganizationType:40')),
    field('IsSandbox', 'boolean', kept),
    ...systemFields,
  ],
};
