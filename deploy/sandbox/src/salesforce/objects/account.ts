import { field, picklist, reference, required, texts } from '../field-definition';
import type { ObjectDefinition } from '../object-definition';
import {
  addressFields,
  customerFields,
  identityFields,
  industries,
  leadSources,
  ownerField,
  ratings,
  systemFields,
} from './common-fields';

export const account: ObjectDefinition = {
  name: 'Account',
  label: 'Account',
  labelPlural: 'Accounts',
  keyPrefix: '001',
  isWritable: true,
  fields: [
    ...identityFields,
    field('Name', 'string', { ...required, label: 'Account Name' }),
    picklist('Type', ['Prospect', 'Customer - Direct', 'Customer - Channel', 'Partner', 'Other'], {
      label: 'Account Type',
    }),
    reference('ParentId', 'Account'),
    ...addressFields('Billing'),
    ...addressFields('Shipping'),
    ...texts('Phone Fax', 'phone'),
    ...texts('AccountNumber:40 Sic:20 TickerSymbol:20 Site:80'),
    field('Website', 'url'),
    picklist('Industry', industries),
    picklist('Ownership', ['Public', 'Private', 'Subsidiary', 'Other']),
    picklist('Rating', ratings),
    picklist('AccountSource', leadSources),
    field('AnnualRevenue', 'currency', { digits: { whole: 18, scale: 0 } }),
    field('NumberOfEmployees', 'int'),
    field('Description', 'textarea'),
    ownerField,
    ...systemFields,
    ...customerFields,
  ],
};
