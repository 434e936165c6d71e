import type { FieldMappings, WriteType } from '@sluice/types';
import type { ContactSettings } from '../../test/builders';
import { defaultsOf, settingsBy } from './write-rules';

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

const never = { writeOnCreate: 'never' } as const;
const ifEmpty = { writeOnUpdate: 'ifEmpty' } as const;
const mapped = (entries: Record<string, string | undefined>): FieldMappings => new Map(Object.entries(entries));

describe('settingsBy', () => {
  it('finds none without settings', () => {
    expect(settingsBy(undefined, undefined, exact)('phone')).toBeUndefined();
    expect(settingsBy({}, mapped({ phone: 'Phone' }), anyCase)('phone')).toBeUndefined();
  });

  it('goes by the names as they are, or by any spelling, as the provider does', () => {
    expect(settingsBy({ Phone: never }, undefined, exact)('phone')).toBeUndefined();
    expect(settingsBy({ Phone: never }, undefined, exact)('Phone')).toBe(never);
    for (const name of ['Phone', 'phone', 'PHONE']) {
      expect(settingsBy({ Phone: never }, undefined, anyCase)(name)).toBe(never);
    }
  });

  // Two spellings of one field must not be a choice of two rules for the caller.
  it('has one setting per field: of two spellings the first holds for both', () => {
    const settingOf = settingsBy({ Phone: never, phone: ifEmpty }, undefined, anyCase);
    expect([settingOf('phone'), settingOf('Phone')]).toEqual([never, never]);
  });

  // firstName is what the builder calls another field; FirstName is the provider's own.
  it('keeps a mapped name, which is the builder’s own, apart from the provider’s names', () => {
    const mappings = mapped({ firstName: 'Nick__c' });
    const ofMapped = settingsBy({ firstName: never }, mappings, anyCase);
    expect([ofMapped('firstName'), ofMapped('FirstName')]).toEqual([never, undefined]);
    const ofProvider = settingsBy({ FirstName: never }, mappings, anyCase);
    expect([ofProvider('firstName'), ofProvider('firstname')]).toEqual([undefined, never]);
    const both = settingsBy({ firstName: never, FirstName: ifEmpty }, mappings, anyCase);
    expect([both('firstName'), both('FIRSTNAME')]).toEqual([never, ifEmpty]);
  });

  it('takes a name that is mapped to itself in another spelling for the provider’s too', () => {
    const settingOf = settingsBy({ phone: never }, mapped({ phone: 'Phone' }), anyCase);
    expect([settingOf('phone'), settingOf('Phone')]).toEqual([never, never]);
  });

  it('takes a mapped name without a field for the builder’s', () => {
    expect(settingsBy({ nick: never }, mapped({ nick: undefined }), anyCase)('Nick')).toBeUndefined();
  });
});
