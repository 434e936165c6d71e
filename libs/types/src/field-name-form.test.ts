import { normalFieldName } from './field-names';

// Connectors name reserved fields in this form, so it is lower case and not any other.
it('is the name itself, or the name in lower case', () => {
  expect(normalFieldName('LeadSource', 'exact')).toBe('LeadSource');
  expect(normalFieldName('LeadSource', 'case-insensitive')).toBe('leadsource');
});
