import { describeConfigChanges } from './config-changes';

const read = (contacts: object) => ({ provider: 'hubspot', read: { objects: { contacts } } });
const write = (contacts: object) => ({ provider: 'hubspot', write: { objects: { contacts } } });

it.each([
  [
    'a default, whichever member carries it',
    write({ selectedFieldSettings: { phone: { default: { stringValue: '+1' } } } }),
    write({ selectedFieldSettings: { phone: { default: { integerValue: 2 } } } }),
    [{ subject: 'contacts.phone', what: 'default', before: '+1', after: '2' }],
  ],
  [
    'when a field is written',
    write({ selectedFieldSettings: { phone: { writeOnCreate: 'never' } } }),
    write({ selectedFieldSettings: { phone: { writeOnUpdate: 'ifEmpty' } } }),
    [
      { subject: 'contacts.phone', what: 'written on create', before: 'never' },
      { subject: 'contacts.phone', what: 'written on update', after: 'ifEmpty' },
    ],
  ],
  [
    'a mapping, and a selection',
    read({ objectName: 'contacts', selectedFieldMappings: { position: 'jobtitle' } }),
    read({ objectName: 'contacts', selectedFieldMappings: { position: 'role' }, selectedFields: { city: true } }),
    [
      { subject: 'contacts.position', what: 'mapping', before: 'jobtitle', after: 'role' },
      { subject: 'contacts.city', what: 'selection', after: 'true' },
    ],
  ],
  [
    'a value mapping and a switch',
    read({ selectedValueMappings: { stage: { lead: 'L' } } }),
    read({ selectedValueMappings: { stage: { lead: 'K' } }, disabled: true }),
    [
      { subject: 'contacts.stage', what: 'value lead', before: 'L', after: 'K' },
      { subject: 'contacts', what: 'search disabled', after: 'true' },
    ],
  ],
  [
    'an object that is new, with deletion',
    { provider: 'hubspot' },
    write({ objectName: 'contacts', deletionSettings: { enabled: true }, inheritMapping: true }),
    [
      { subject: 'contacts', what: 'deletion', after: 'true' },
      { subject: 'contacts', what: 'writes use the mapping', after: 'true' },
    ],
  ],
  [
    'one mapping of an object that is new, and nothing of its empty maps',
    { provider: 'hubspot' },
    read({ objectName: 'contacts', selectedFields: {}, selectedFieldMappings: { position: 'jobtitle' } }),
    [{ subject: 'contacts.position', what: 'mapping', after: 'jobtitle' }],
  ],
  [
    'an object that is new and has nothing else',
    write({ objectName: 'contacts', inheritMapping: true }),
    {
      ...write({ objectName: 'contacts', inheritMapping: false }),
      ...read({ objectName: 'contacts', selectedFields: {} }),
    },
    [
      { subject: 'contacts', what: 'writes use the mapping', before: 'true', after: 'false' },
      { subject: 'contacts', what: 'read settings', after: 'contacts' },
    ],
  ],
  [
    'what is no object',
    { provider: 'hubspot', proxy: { enabled: false } },
    { provider: 'hubspot', proxy: { enabled: true } },
    [{ subject: 'proxy', what: 'enabled', before: 'false', after: 'true' }],
  ],
  [
    'what is empty, and a list',
    write({ selectedFieldSettings: { phone: {} } }),
    read({ fieldFilters: [{ fieldName: 'city' }] }),
    [
      { subject: 'contacts.phone', what: 'settings', before: '{}' },
      { subject: 'contacts', what: 'fieldFilters', after: '[{"fieldName":"city"}]' },
    ],
  ],
])('names %s', (_what, before, after, changes) => {
  expect(describeConfigChanges(before, after)).toEqual(changes);
});

it('tells a text from the number that is spelled like it, and finds no difference in the order of members', () => {
  const withDefault = (value: object) => write({ selectedFieldSettings: { phone: { default: value } } });
  expect(describeConfigChanges(withDefault({ stringValue: '5' }), withDefault({ integerValue: 5 }))).toEqual([
    { subject: 'contacts.phone', what: 'default', before: '"5"', after: '5' },
  ]);
  expect(describeConfigChanges({ a: 1, b: { c: '', d: 2 } }, { b: { d: 2, c: '' }, a: 1 })).toEqual([]);
});
