import {
  type FieldDefinition,
  field,
  picklist,
  reference,
  texts,
  readOnly,
  required,
  type ObjectDefinition,
} from './field-definition';
import {
  addressFields,
  customerFields,
  identityFields,
  leadSources,
  ownerField,
  personNameFields,
  systemFields,
  industries,
  ratings,
} from './objects/common-fields';

const statuses = ['Open - Not Contacted', 'Working - Contacted', 'Closed - Converted', 'Closed - Not Converted'];

const lead: ObjectDefinition = {
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

const account: ObjectDefinition = {
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

const stages = [
  'Prospecting',
  'Qualification',
  'Needs Analysis',
  'Value Proposition',
  'Proposal/Price Quote',
  'Negotiation/Review',
  'Closed Won',
  'Closed Lost',
];

const opportunity: ObjectDefinition = {
  name: 'Opportunity',
  label: 'Opportunity',
  labelPlural: 'Opportunities',
  keyPrefix: '006',
  isWritable: true,
  fields: [
    ...identityFields,
    reference('AccountId', 'Account'),
    field('Name', 'string', { ...required, length: 120 }),
    field('Description', 'textarea'),
    picklist('StageName', stages, { ...required, label: 'Stage' }),
    field('Amount', 'currency'),
    field('Probability', 'percent', { label: 'Probability (%)' }),
    field('CloseDate', 'date', required),
    picklist('Type', ['Existing Business', 'New Business'], { label: 'Opportunity Type' }),
    field('NextStep', 'string'),
    picklist('LeadSource', leadSources),
    field('IsClosed', 'boolean', { ...readOnly, label: 'Closed', calculated: true }),
    field('IsWon', 'boolean', { ...readOnly, label: 'Won', calculated: true }),
    ownerField,
    ...systemFields,
    ...customerFields,
  ],
};

const kept = { ...readOnly, nillable: false } as const;

const onlyRead = (fields: readonly FieldDefinition[]): FieldDefinition[] =>
  fields.map((one) => ({ ...one, createable: false, updateable: false }));

/** The people of an org. Only the integration user exists; it owns what nobody else owns. */
const user: ObjectDefinition = {
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

const organization: ObjectDefinition = {
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

const contact: ObjectDefinition = {
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

/** Every object of an imitated org. A realistic part of what a Sales Cloud org has. */
export const objectDefinitions: readonly ObjectDefinition[] = [account, contact, lead, opportunity, user, organization];

const byNames = new Map(objectDefinitions.map((object) => [object.name.toLowerCase(), object]));

const fieldsByNames = new Map(
  objectDefinitions.map((object) => [
    object.name,
    new Map(visibleFields(object).map((each) => [each.name.toLowerCase(), each])),
  ]),
);

/** The object with this name, in any case. */
export const findObject = (name: string): ObjectDefinition | undefined => byNames.get(name.toLowerCase());

/** The object whose name is known to exist. */
export function objectNamed(name: string): ObjectDefinition {
  const found = findObject(name);
  if (!found) throw new Error(`the sandbox has no object ${name}`);
  return found;
}

/** The field with this name, in any case; undefined also for one that the integration user cannot see. */
export function findField(object: ObjectDefinition, name: string): FieldDefinition | undefined {
  return fieldsByNames.get(object.name)?.get(name.toLowerCase());
}

/** Fields that the integration user sees. */
export function visibleFields(object: ObjectDefinition): readonly FieldDefinition[] {
  return object.fields.filter((each) => each.hidden !== true);
}
