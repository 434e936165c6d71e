import { field, picklist, readOnly, reference, required } from '../field-definition';
import type { ObjectDefinition } from '../object-definition';
import { customerFields, identityFields, leadSources, ownerField, systemFields } from './common-fields';

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

export const opportunity: ObjectDefinition = {
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
