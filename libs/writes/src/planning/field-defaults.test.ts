import type { WriteType } from '@sluice/types';
import type { ContactSettings } from '../../test/builders';
import { defaultsOf } from './field-rule';

const exact = (name: string): string => name;
const anyCase = (name: string): string => name.toLowerCase();

function defaults(
  write: ContactSettings['write'],
  type: WriteType,
  mappings: Record<string, string> = {},
  keyOf = exact,
) {
  const found = defaultsOf(write && { objectName: 'contacts', ...write }, type, {
    targetOf: (name) => mappings[name] ?? name,
    keyOf,
  });
  return Object.fromEntries(found.map(({ name, value }) => [name, value]));
}

describe('defaultsOf', () => {
  const selectedFieldSettings = {
    source: { default: { stringValue: 'web' } },
    score: { default: { integerValue: 0 } },
    subscribed: { default: { booleanValue: false } },
    note: { default: { stringValue: '' } },
    plain: { writeOnUpdate: 'ifEmpty' as const },
  };

  it.each<[WriteType]>([['create'], ['update']])('fills what is missing on %s, also with 0, false and ""', (type) => {
    expect(defaults({ selectedFieldSettings }, type)).toEqual({ source: 'web', score: 0, subscribed: false, note: '' });
  });

  it('fills nothing on delete, and nothing without a config of the object', () => {
    expect(defaults({ selectedFieldSettings }, 'delete')).toEqual({});
    expect(defaults(undefined, 'create')).toEqual({});
  });

  describe('selectedValueDefaults (deprecated)', () => {
    const selectedValueDefaults = {
      stage: { value: 'lead' },
      count: { value: 0, applyOnUpdate: 'always' as const },
      isNew: { value: true, applyOnUpdate: 'never' as const },
    };

    it('apply on create whatever applyOnUpdate says', () => {
      expect(defaults({ selectedValueDefaults }, 'create')).toEqual({ stage: 'lead', count: 0, isNew: true });
    });

    it('apply on update unless applyOnUpdate is never', () => {
      expect(defaults({ selectedValueDefaults }, 'update')).toEqual({ stage: 'lead', count: 0 });
    });

    // Design section 6: selectedFieldSettings beats selectedValueDefaults.
    it('give way to selectedFieldSettings for the same field, also to settings without a default', () => {
      const settings = { stage: { default: { stringValue: 'won' } }, count: { writeOnUpdate: 'ifEmpty' as const } };
      const both = { selectedValueDefaults, selectedFieldSettings: settings };
      expect(defaults(both, 'create')).toEqual({ stage: 'won', isNew: true });
    });

    // One field under two names: the last default would have won, which is the deprecated one.
    it('give way to selectedFieldSettings of the same field under its other name', () => {
      const settings = { mail: { default: { stringValue: 'a' } } };
      const both = { selectedFieldSettings: settings, selectedValueDefaults: { email: { value: 'b' } } };
      expect(defaults(both, 'create', { mail: 'email' })).toEqual({ mail: 'a' });
    });
  });

  it('has one default per field: the mapped name is the one that requests use', () => {
    const settings = { email: { default: { stringValue: 'a' } }, mail: { default: { stringValue: 'b' } } };
    expect(defaults({ selectedFieldSettings: settings }, 'create', { mail: 'email' })).toEqual({ mail: 'b' });
  });

  // A default called id would have been written into the record that it should only name.
  it('never fills in the id of an update', () => {
    const settings = { id: { default: { stringValue: 'a' } }, key: { default: { stringValue: 'b' } } };
    expect(defaults({ selectedFieldSettings: settings }, 'update', { key: 'id' })).toEqual({});
    expect(defaults({ selectedFieldSettings: settings }, 'create')).toEqual({ id: 'a', key: 'b' });
  });

  // Salesforce: LeadSource and leadsource are one field.
  it('has one default per field in all its spellings: the first, and settings before deprecated ones', () => {
    const settings = { LeadSource: { default: { stringValue: 'a' } }, leadsource: { default: { stringValue: 'b' } } };
    const selectedValueDefaults = { LEADSOURCE: { value: 'c' } };
    const both = { selectedFieldSettings: settings, selectedValueDefaults };
    expect(defaults(both, 'create', {}, anyCase)).toEqual({ LeadSource: 'a' });
    expect(defaults(both, 'create')).toEqual({ LeadSource: 'a', leadsource: 'b', LEADSOURCE: 'c' });
    expect(
      defaults({ selectedFieldSettings: { ID: { default: { stringValue: 'x' } } } }, 'update', {}, anyCase),
    ).toEqual({});
  });
});
