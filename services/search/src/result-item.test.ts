import { sampleConfig, sampleManifest } from '@sluice/testkit';
import type { InstallationContext, ManifestReadObject, ReadObjectConfig } from '@sluice/types';
import { fieldNamesOf, getSearchableObject, toProviderFilters, toResultItem } from './searchable-object';

function objectOf(declared: Partial<ManifestReadObject>, config?: Partial<ReadObjectConfig>) {
  return {
    declared: { objectName: 'contacts', ...declared },
    config: config && { objectName: 'contacts', ...config },
  };
}

const record = (fields: Record<string, unknown>) => ({ id: '7', fields, raw: { id: '7', properties: fields } });

describe('fieldNamesOf', () => {
  it('lets the dynamic mapping win over the manifest, and the selection over both', () => {
    const requiredFields = [
      { fieldName: 'f1', mapToName: 'a' },
      { fieldName: 'f2', mapToName: 'b' },
      { fieldName: 'f3', mapToName: 'c' },
    ];
    const dynamicMappingsInput = [
      { mapToName: 'b', fieldName: 'd2' },
      { mapToName: 'c', fieldName: 'd3' },
    ];
    const object = objectOf({ requiredFields }, { dynamicMappingsInput, selectedFieldMappings: { c: 's3' } });
    expect(Object.fromEntries(fieldNamesOf(object, 'exact').mapped)).toEqual({ a: 'f1', b: 'd2', c: 's3' });
  });

  it('keeps a mapping that the user left unset as such', () => {
    const object = objectOf({ optionalFields: [{ mapToName: 'nick', prompt: 'Which?' }] });
    expect([...fieldNamesOf(object, 'exact').mapped]).toEqual([['nick', undefined]]);
  });

  it('reads required and selected fields, and mapped ones under their mapped name only', () => {
    const object = objectOf(
      {
        requiredFields: [{ fieldName: 'email' }, { fieldName: 'phone', mapToName: 'tel' }],
        optionalFields: [{ fieldName: 'city' }],
      },
      { selectedFields: { city: true, zip: false, phone: true } },
    );
    expect(fieldNamesOf(object, 'exact').unmapped).toEqual(['email', 'city']);
  });
});

describe('fieldNamesOf at a provider that takes names in any case', () => {
  it('reads a mapped field under its mapped name only, whatever the spelling of its selection', () => {
    const object = objectOf(
      { requiredFields: [{ fieldName: 'Email', mapToName: 'mail' }] },
      { selectedFields: { email: true, City: true } },
    );
    expect(fieldNamesOf(object, 'case-insensitive').unmapped).toEqual(['City']);
    expect(fieldNamesOf(object, 'exact').unmapped).toEqual(['email', 'City']);
  });
});

describe('toResultItem', () => {
  it('splits mapped from unmapped fields and leaves raw alone', () => {
    const object = objectOf({ requiredFields: [{ fieldName: 'email', mapToName: 'mail' }] });
    const found = record({ email: 'a@b.c', city: 'Bern', zip: null });
    expect(toResultItem(found, fieldNamesOf(object, 'exact'))).toEqual({
      id: '7',
      fields: { city: 'Bern', zip: null },
      mappedFields: { mail: 'a@b.c' },
      raw: found.raw,
    });
  });

  it('spells unmapped fields as the manifest does, and shows a field under each of its mapped names', () => {
    const object = objectOf(
      { requiredFields: [{ fieldName: 'Email' }] },
      { selectedFieldMappings: { m1: 'Phone', m2: 'phone' } },
    );
    const item = toResultItem(record({ email: 'x', phone: '1' }), fieldNamesOf(object, 'exact'));
    expect(item).toMatchObject({ fields: { Email: 'x' }, mappedFields: { m1: '1', m2: '1' } });
  });

  it('delivers mapped values', () => {
    const object = objectOf({}, { selectedValueMappings: { stage: { won: 'closedwon' } } });
    const item = toResultItem(record({ stage: 'closedwon', other: 'closedwon' }), fieldNamesOf(object, 'exact'));
    expect(item.fields).toEqual({ stage: 'won', other: 'closedwon' });
  });

  it('delivers mapped values of a field that the config spells otherwise than the provider', () => {
    const object = objectOf({}, { selectedValueMappings: { title: { Boss: 'CEO' } } });
    const found = record({ Title: 'CEO' });
    expect(toResultItem(found, fieldNamesOf(object, 'case-insensitive')).fields).toEqual({ Title: 'Boss' });
    expect(toResultItem(found, fieldNamesOf(object, 'exact')).fields).toEqual({ Title: 'CEO' });
  });

  it('survives fields that are named like members of every object', () => {
    const object = objectOf({});
    const fields = JSON.parse('{"__proto__": "x", "constructor": "y"}') as Record<string, unknown>;
    const item = toResultItem(record(fields), fieldNamesOf(object, 'exact'));
    expect(Object.entries(item.fields)).toEqual(Object.entries(fields));
  });
});

describe('toProviderFilters', () => {
  it('translates mapped names and values, and leaves others as they are', () => {
    const object = objectOf(
      { requiredFields: [{ fieldName: 'email', mapToName: 'mail' }] },
      { selectedValueMappings: { email: { boss: 'boss@acme.test' } } },
    );
    const filters = [
      { fieldName: 'mail', operator: 'eq' as const, value: 'boss' },
      { fieldName: 'toString', operator: 'eq' as const, value: 'toString' },
      { fieldName: 'vip', operator: 'eq' as const, value: true },
    ];
    expect(toProviderFilters(filters, fieldNamesOf(object, 'exact'))).toEqual([
      { field: 'email', value: 'boss@acme.test' },
      { field: 'toString', value: 'toString' },
      { field: 'vip', value: true },
    ]);
  });

  // The reviewer's case: `title = Boss` found nothing, `Title = Boss` did.
  it('maps values under every spelling that the provider takes; mapped names stay exact', () => {
    const object = objectOf(
      { requiredFields: [{ fieldName: 'Nick__c', mapToName: 'firstName' }] },
      { selectedValueMappings: { Title: { Boss: 'CEO' } } },
    );
    const filters = [
      { fieldName: 'title', operator: 'eq' as const, value: 'Boss' },
      { fieldName: 'FirstName', operator: 'eq' as const, value: 'Zoë' },
    ];
    expect(toProviderFilters(filters, fieldNamesOf(object, 'case-insensitive'))).toEqual([
      { field: 'title', value: 'CEO' },
      { field: 'FirstName', value: 'Zoë' },
    ]);
    expect(toProviderFilters(filters, fieldNamesOf(object, 'exact'))[0]).toEqual({ field: 'title', value: 'Boss' });
  });

  it('refuses an unset mapping and a value that is too long, naming both', () => {
    const object = objectOf({ optionalFields: [{ mapToName: 'nick' }] });
    const filters = [
      { fieldName: 'nick', operator: 'eq' as const, value: 'x' },
      { fieldName: 'city', operator: 'eq' as const, value: 'x'.repeat(1_025) },
    ];
    const names = fieldNamesOf(object, 'exact');
    expect(() => toProviderFilters(filters, names)).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ name: 'fieldFilters[0].fieldName' }),
          expect.objectContaining({ name: 'fieldFilters[1].value' }),
        ],
      }),
    );
  });
});

// The three rules of the specification, Manifest.
describe('getSearchableObject', () => {
  const installationOf = (object: ManifestReadObject, disabled?: boolean) =>
    ({
      manifest: sampleManifest({ read: { objects: [object] } }),
      config: sampleConfig({
        read: { objects: { contacts: { objectName: 'contacts', ...(disabled === undefined ? {} : { disabled }) } } },
      }),
    }) as unknown as InstallationContext;

  it.each([
    ['is declared', {}, undefined],
    ['is declared and explicitly not disabled', {}, false],
    ['is disabled, but enabled always', { enabled: 'always' as const }, true],
  ])('finds an object that %s', (_case, declared, disabled) => {
    const installation = installationOf({ objectName: 'contacts', ...declared }, disabled);
    expect(getSearchableObject(installation, 'contacts').declared.objectName).toBe('contacts');
  });

  it('refuses an object that is disabled', () => {
    const search = () => getSearchableObject(installationOf({ objectName: 'contacts' }, true), 'contacts');
    const remedy: unknown = expect.stringContaining('contacts.disabled');
    expect(search).toThrow(expect.objectContaining({ code: 'search.object-disabled', remedy }));
  });

  it('refuses an object that is not declared, also when its name is a member of every object', () => {
    for (const name of ['deals', 'constructor', '__proto__']) {
      const search = () => getSearchableObject(installationOf({ objectName: 'contacts' }), name);
      expect(search).toThrow(expect.objectContaining({ code: 'search.object-not-in-manifest' }));
    }
  });

  it('finds an object by the name it is mapped to', () => {
    const object = { objectName: 'contacts', mapToName: 'people' };
    expect(getSearchableObject(installationOf(object), 'people').declared).toBe(object);
  });
});

describe('fields inside objects', () => {
  const [tier, plan] = ["$['properties']['tier']", "$['properties']['plan']"];
  const declared = {
    requiredFields: [
      { fieldName: tier, mapToName: 'tier' },
      { fieldName: "$['place']['geo']['lat']", mapToName: "$['at']['lat']" },
      { fieldName: plan },
      { fieldName: "$['email']", mapToName: 'mail' },
    ],
  };
  const found = record({
    email: 'a@b.c',
    properties: { tier: 'gold', plan: 'pro' },
    place: { geo: { lat: 47 } },
  });

  it('stand under their mapped names, or as the manifest spells them, and the object stays whole', () => {
    const object = objectOf(declared, { selectedValueMappings: { [tier]: { best: 'gold' } } });
    expect(toResultItem(found, fieldNamesOf(object, 'exact'))).toMatchObject({
      mappedFields: { tier: 'best', mail: 'a@b.c', at: { lat: 47 } },
      fields: { [plan]: 'pro', properties: { tier: 'gold', plan: 'pro' } },
    });
  });

  it('are left out where the record has no such object', () => {
    const item = toResultItem(record({ properties: 'none', email: null }), fieldNamesOf(objectOf(declared), 'exact'));
    expect(item.mappedFields).toEqual({ mail: null });
  });

  it('are read under the spelling of the provider, and a path that means none is not asked', () => {
    const fieldOf = (name: string) => (name === tier ? 'Tier' : name.startsWith('$') ? undefined : name);
    const names = fieldNamesOf(objectOf(declared), 'case-insensitive', fieldOf);
    expect(toResultItem(record({ Tier: 'gold' }), names)).toMatchObject({ fields: {}, mappedFields: { tier: 'gold' } });
    expect(names.unmapped).toEqual([]);
    const filters = [{ fieldName: 'tier', operator: 'eq' as const, value: 'x' }];
    expect(toProviderFilters(filters, names)).toEqual([{ field: 'Tier', value: 'x' }]);
  });

  it('a filter on a name that can mean no field is refused', () => {
    const names = fieldNamesOf(objectOf(declared), 'exact');
    const filters = [{ fieldName: '$.a.b', operator: 'eq' as const, value: 'x' }];
    expect(() => toProviderFilters(filters, names, () => 'is no path')).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ name: 'fieldFilters[0].fieldName' })] }),
    );
  });
});
