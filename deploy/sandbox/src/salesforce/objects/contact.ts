import { field, picklist, reference, texts } from '../field-definition';
import type { ObjectDefinition } from '../object-definition';
import {
  addressFields,
  customerFields,
  identityFields,
  leadSources,
  ownerField,
  personNameFields,
  systemFields,
} from './common-fields';

export const contact: ObjectDefinition = {
  name: 'Contact',
  label: 'Contact',
  labelPlural: 'Contacts',
  keyPrefix: '003',
  isWritable: true,
  fields: [
    ...identityFields,
    reference('AccountId', 'Account'),
    ...personNameFields,
    ...addressFields('Mailing'),
    ...addressFields('Other'),
    ...texts('Phone MobilePhone HomePhone OtherPhone AssistantPhone Fax', 'phone'),
    reference('ReportsToId', 'Contact'),
    field('Email', 'email'),
    ...texts('Title:128 Department:80 AssistantName:40'),
    picklist('LeadSource', leadSources),
    field('Birthdate', 'date'),
    field('Description', 'textarea'),
    ownerField,
    field('HasOptedOutOfEmail', 'boolean', { label: 'Email Opt Out' }),
    field('DoNotCall', 'boolean'),
    ...systemFields,
    ...customerFields,
  ],
};
