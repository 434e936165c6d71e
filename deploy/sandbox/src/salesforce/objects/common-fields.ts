import { field, picklist, readOnly, reference, type FieldDefinition } from '../field-definition';

const kept = { ...readOnly, nillable: false } as const;

/** What Salesforce keeps on every record by itself. */
export const systemFields: readonly FieldDefinition[] = [
  field('CreatedDate', 'datetime', kept),
  reference('CreatedById', 'User', kept),
  field('LastModifiedDate', 'datetime', kept),
  reference('LastModifiedById', 'User', kept),
  field('SystemModstamp', 'datetime', kept),
];

/** The first two fields of every object. */
export const identityFields: readonly FieldDefinition[] = [
  field('Id', 'id', { ...kept, label: 'Record ID' }),
  field('IsDeleted', 'boolean', { ...kept, label: 'Deleted' }),
];

/** The owner: the integration user unless a write names another. */
export const ownerField: FieldDefinition = reference('OwnerId', 'User', { nillable: false, defaultedOnCreate: true });

/** What a customer typically adds: one of each type, one unique, one external id that is not, one that the integration user cannot see. */
export const customerFields: readonly FieldDefinition[] = [
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

export const leadSources = ['Web', 'Phone Inquiry', 'Partner Referral', 'Purchased List', 'Other'];
export const industries = [
  'Agriculture',
  'Banking',
  'Construction',
  'Education',
  'Energy',
  'Retail',
  'Technology',
  'Other',
];
export const ratings = ['Hot', 'Warm', 'Cold'];
const salutations = ['Mr.', 'Ms.', 'Mrs.', 'Dr.', 'Prof.', 'Mx.'];

/** `Mailing` -> MailingStreet, MailingCity, … with the lengths of every standard address. */
export function addressFields(prefix: string): FieldDefinition[] {
  return [
    field(`${prefix}Street`, 'textarea', { length: 255 }),
    field(`${prefix}City`, 'string', { length: 40 }),
    field(`${prefix}State`, 'string', { length: 80 }),
    field(`${prefix}PostalCode`, 'string', { length: 20 }),
    field(`${prefix}Country`, 'string', { length: 80 }),
  ];
}

/** First, last and whole name of a person; the whole name is computed. */
export const personNameFields: readonly FieldDefinition[] = [
  field('LastName', 'string', { length: 80, nillable: false }),
  field('FirstName', 'string', { length: 40 }),
  picklist('Salutation', salutations, { length: 40 }),
  field('Name', 'string', { ...readOnly, label: 'Full Name', length: 121, nillable: false, calculated: true }),
];
