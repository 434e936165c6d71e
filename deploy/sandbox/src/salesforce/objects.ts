import {
  field,
  picklist,
  readOnly,
  reference,
  required,
  texts,
  type FieldDefinition,
  type ObjectDefinition,
} from './field-definition';

const list = (values: string): string[] => values.split(', ');

/** Spread into a field that Salesforce fills: never null, never written. */
const filled = { ...readOnly, nillable: false } as const;

/** What Salesforce stores on every record by itself. */
const systemFields: readonly FieldDefinition[] = [
  field('CreatedDate', 'datetime', filled),
  reference('CreatedById', 'User', filled),
  field('LastModifiedDate', 'datetime', filled),
  reference('LastModifiedById', 'User', filled),
  field('SystemModstamp', 'datetime', filled),
];

/** What a user with "Set Audit Fields upon Record Creation" may set, of these. No user can set SystemModstamp. */
export const isAuditField = (name: string): boolean => name === 'CreatedDate';

/** The first two fields of every object. */
const identityFields: readonly FieldDefinition[] = [
  field('Id', 'id', { ...filled, label: 'Record ID' }),
  field('IsDeleted', 'boolean', { ...filled, label: 'Deleted' }),
];

/** The owner: the integration user unless a write names another. */
const ownerField: FieldDefinition = reference('OwnerId', 'User', { nillable: false, defaultedOnCreate: true });

/** What a customer typically adds: one of each type, one unique, one external id that is not, one that the integration user cannot see. */
const customerFields: readonly FieldDefinition[] = [
  field('External_Id__c', 'string', { externalId: true, unique: true }),
  field('Legacy_Id__c', 'string', { externalId: true }),
  field('Score__c', 'double'),
  field('Active__c', 'boolean'),
  picklist('Level__c', ['Primary', 'Secondary', 'Tertiary'], { restricted: true }),
  field('Interests__c', 'multipicklist', { options: ['Cycling', 'Music', 'Cooking', 'Travel'], restricted: true }),
  field('Renewal_Date__c', 'date'),
  field('Last_Seen__c', 'datetime'),
  field('Notes__c', 'textarea', { length: 32_768 }),
  // Read-only for the integration user, though nothing computes it.
  field('Credit_Limit__c', 'currency', readOnly),
  field('Record_Number__c', 'string', { ...readOnly, length: 30, nillable: false, autoNumber: true }),
  field('Secret_Code__c', 'string', { hidden: true }),
];

const leadSources = list('Web, Phone Inquiry, Partner Referral, Purchased List, Other');
const industries = list('Agriculture, Banking, Construction, Education, Energy, Retail, Technology, Other');
const ratings = ['Hot', 'Warm', 'Cold'];
const salutations = ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.', 'Mx.'];

/** `Mailing` -> MailingStreet, MailingCity, … with the lengths of every standard address. */
function addressFields(prefix: string): FieldDefinition[] {
  const others = `${prefix}City:40 ${prefix}State:80 ${prefix}PostalCode:20 ${prefix}Country:80`;
  return [field(`${prefix}Street`, 'textarea', { length: 255 }), ...texts(others)];
}

/** First, last and whole name of a person; the whole name is computed. */
const personNameFields: readonly FieldDefinition[] = [
  field('LastName', 'string', { length: 80, nillable: false }),
  field('FirstName', 'string', { length: 40 }),
  picklist('Salutation', salutations, { length: 40 }),
  field('Name', 'string', { ...readOnly, label: 'Full Name', length: 121, nillable: false, calculated: true }),
];

/** An object of which the API creates records, with the fields that all of these have around its own. */
const writable = (
  name: string,
  keyPrefix: string,
  fields: readonly FieldDefinition[],
  labelPlural = `${name}s`,
): ObjectDefinition => ({
  name,
  label: name,
  labelPlural,
  keyPrefix,
  isWritable: true,
  fields: [...identityFields, ...fields, ...systemFields, ...customerFields],
});

const statuses = ['Open - Not Contacted', 'Working - Contacted', 'Closed - Converted', 'Closed - Not Converted'];

const lead = writable('Lead', '00Q', [
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
]);

const account = writable('Account', '001', [
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
]);

const stages = list(
  'Prospecting, Qualification, Needs Analysis, Value Proposition, Proposal/Price Quote, Negotiation/Review, Closed Won, Closed Lost',
);

const opportunity = writable(
  'Opportunity',
  '006',
  [
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
  ],
  'Opportunities',
);

const onlyRead = (fields: readonly FieldDefinition[]): FieldDefinition[] =>
  fields.map((one) => ({ ...one, createable: false, updateable: false }));

/** The people of an org. Only the integration user exists; it owns every record without another owner. */
const user: ObjectDefinition = {
  name: 'User',
  label: 'User',
  labelPlural: 'Users',
  keyPrefix: '005',
  isWritable: false,
  fields: [
    field('Id', 'id', { ...filled, label: 'User ID' }),
    field('Username', 'string', { ...filled, length: 80 }),
    ...onlyRead(texts('LastName:80 FirstName:40 Name:121 Alias:8')),
    field('Email', 'email', filled),
    field('IsActive', 'boolean', { ...filled, label: 'Active' }),
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
    field('Id', 'id', { ...filled, label: 'Organization ID' }),
    ...onlyRead(texts('Name:80 InstanceName:5 OrganizationType:40')),
    field('IsSandbox', 'boolean', filled),
    ...systemFields,
  ],
};

const contact = writable('Contact', '003', [
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
]);

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

const uniqueNames = new Map(
  objectDefinitions.map(({ name, fields }) => [
    name,
    fields.filter((each) => each.unique === true).map((each) => each.name),
  ]),
);

/** Names of the fields that no two live records of an object share a value of. */
export const uniqueFieldsOf = (type: string): readonly string[] => uniqueNames.get(type) ?? [];
