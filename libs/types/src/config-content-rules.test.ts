import { type ConfigContent, checkConfigContent } from './config-content';

const namesOf = (content: Partial<ConfigContent>) =>
  checkConfigContent(content, 'config.content').map(({ name }) => name);
const filter = (fieldName: string) => ({ fieldName, operator: 'eq' as const, value: 'x' });

describe('checkConfigContent', () => {
  it('takes the form of the specification', () => {
    const content: ConfigContent = {
      provider: 'hubspot',
      read: {
        objects: {
          contacts: {
            objectName: 'contacts',
            schedule: '*/10 * * * *',
            selectedFields: { email: true },
            selectedFieldMappings: { mail: 'email' },
            backfill: { defaultPeriod: { days: 0 }, fieldFilters: [filter('a')] },
            fieldFilters: [filter('a'), filter('b')],
          },
        },
      },
      write: {
        objects: {
          contacts: {
            objectName: 'contacts',
            deletionSettings: { enabled: true },
            selectedFieldSettings: { source: { default: { stringValue: 'sluice' }, writeOnUpdate: 'ifEmpty' } },
          },
        },
      },
      proxy: { enabled: true },
    };
    expect(checkConfigContent(content, 'config.content')).toEqual([]);
    expect(checkConfigContent({}, 'config.content')).toEqual([]);
  });

  it('wants the key of an entry to be its objectName', () => {
    expect(namesOf({ write: { objects: { contacts: { objectName: 'deals' } } } })).toEqual([
      'config.content.write.objects.contacts.objectName',
    ]);
    expect(namesOf({ read: { objects: { 'my object': { objectName: 'x' } } } })).toEqual([
      'config.content.read.objects["my object"].objectName',
    ]);
  });

  // Specification: each field can have only one condition.
  it('refuses a second condition on a field', () => {
    const contacts = { objectName: 'contacts', fieldFilters: [filter('a'), filter('b'), filter('a')] };
    expect(namesOf({ read: { objects: { contacts } } })).toEqual([
      'config.content.read.objects.contacts.fieldFilters[2].fieldName',
    ]);
    const backfill = { defaultPeriod: { fullHistory: true }, fieldFilters: [filter('a'), filter('a')] };
    expect(namesOf({ read: { objects: { contacts: { objectName: 'contacts', backfill } } } })).toEqual([
      'config.content.read.objects.contacts.backfill.fieldFilters[1].fieldName',
    ]);
  });

  it('refuses a schedule that is no cron syntax', () => {
    expect(namesOf({ read: { objects: { a: { objectName: 'a', schedule: 'hourly' } } } })).toEqual([
      'config.content.read.objects.a.schedule',
    ]);
  });

  it('refuses names that reach into a prototype or hold a NUL', () => {
    const settings = JSON.parse('{"__proto__": {}, "a\\u0000": {}}') as Record<string, object>;
    expect(namesOf({ write: { objects: { a: { objectName: 'a', selectedFieldSettings: settings } } } })).toEqual([
      'config.content.write.objects.a.selectedFieldSettings.__proto__',
      'config.content.write.objects.a.selectedFieldSettings["a\\u0000"]',
    ]);
  });

  it.each(['__proto__', 'constructor', 'prototype'])('refuses a mapping that leads to %s', (field) => {
    const contacts = { objectName: 'contacts', selectedFieldMappings: { mail: field, other: 'email' } };
    expect(checkConfigContent({ read: { objects: { contacts } } }, 'config.content')).toEqual([
      {
        in: 'body',
        name: 'config.content.read.objects.contacts.selectedFieldMappings.mail',
        detail: 'leads to a name that is not allowed',
        value: field,
      },
    ]);
  });
});
