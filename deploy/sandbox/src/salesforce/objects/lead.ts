import { field, picklist, readOnly, required, texts, type ObjectDefinition } from '../field-definition';
import {
  addressFields,
  customerFields,
  identityFields,
  industries,
  leadSources,
  ownerField,
  personNameFields,
  ratings,
  systemFields,
} from './common-fields';

const statuses = ['Open - Not Contacted', 'Working - Contacted', 'Closed - Converted', 'Closed - Not Converted'];

export const lead: ObjectDefinition = {
  name: 'Lead',
  label: 'Lead',
  labelPlural: 'Leads',
  keyPrefix: '00Q',
  isWritable: true,
  fields: [
    ...identityFields,
    ...personNameFields,
    field('Title', 'string', { length: 128 }),
    field('Company', 'string', required),
    ...addressFields(''),
    ...texts('Phone MobilePhone Fax', 'phone'),
    field('Email', 'email'),
    field('Website', 'url'),
    field('Description', 'textarea'),
    picklist('LeadSource', leadSources),
    picklist('Status', statuses, { ...required, defaultedOnCreate: true, defaultValue: 'Open - Not Contacted' }),
    picklist('Industry', industries),
    picklist('Rating', ratings),
    field('AnnualRevenue', 'currency', { digits: { whole: 18, scale: 0 } }),
    field('NumberOfEmployees', 'int'),
    ownerField,
    field('HasOptedOutOfEmail', 'boolean', { label: 'Email Opt Out' }),
    field('DoNotCall', 'boolean'),
    field('IsConverted', 'boolean', { ...readOnly, label: 'Converted' }),
    ...systemFields,
    ...customerFields,
  ],
};
