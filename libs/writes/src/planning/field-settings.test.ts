import type { FieldMappings } from '@sluice/types';
import { settingsBy } from './field-rule';

const never = { writeOnCreate: 'never' } as const;
const ifEmpty = { writeOnUpdate: 'ifEmpty' } as const;
const exact = (name: string): string => name;
const anyCase = (name: string): string => name.toLowerCase();
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
