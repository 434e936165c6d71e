import type { InstallationContext } from '@sluice/types';
import { contactsInstallation, type ContactSettings } from '../../test/builders';
import { inheritedMappings } from './write-rules';

const of = (settings: ContactSettings) => {
  const mappings = inheritedMappings(contactsInstallation(settings), 'contacts');
  return mappings && Object.fromEntries(mappings);
};
const read = { selectedFieldMappings: { mail: 'email' } };

describe('inheritedMappings', () => {
  it.each<[source: string, settings: ContactSettings]>([
    ['the manifest', { inherits: true }],
    ['the config', { write: { inheritMapping: true } }],
    ['both', { inherits: true, write: { inheritMapping: true } }],
    ['the manifest against the config', { inherits: true, write: { inheritMapping: false } }],
    ['the config against the manifest', { inherits: false, write: { inheritMapping: true } }],
  ])('are inherited when %s says so', (_, settings) => {
    expect(of({ ...settings, read })).toEqual({ mail: 'email' });
  });

  it.each<[source: string, settings: ContactSettings]>([
    ['nobody says so', {}],
    ['both deny it', { inherits: false, write: { inheritMapping: false } }],
  ])('are none when %s', (_, settings) => {
    expect(of({ ...settings, read })).toBeUndefined();
  });

  it('are those of the same object only', () => {
    const context = contactsInstallation({ inherits: true, read });
    expect(inheritedMappings(context, 'deals')).toBeUndefined();
  });

  it('are empty where nothing is mapped', () => {
    expect(of({ inherits: true })).toEqual({});
  });

  // Design section 6, mapping sources: manifest, dynamic mappings with a field, then the user's selection.
  it('come from three sources, of which the user wins', () => {
    const requiredFields = [
      { fieldName: 'email' },
      { fieldName: 'firstname', mapToName: 'first' },
      { fieldName: 'lastname', mapToName: 'last' },
      { fieldName: 'company', mapToName: 'firm' },
    ];
    const dynamicMappingsInput = [
      { mapToName: 'last', fieldName: 'surname' },
      { mapToName: 'firm', fieldName: 'employer' },
      { mapToName: 'note' },
    ];
    const mapped = of({
      inherits: true,
      declared: { requiredFields, optionalFields: [{ mapToName: 'phone' }, { mapToName: 'fax' }] },
      read: {
        dynamicMappingsInput,
        selectedFieldMappings: { firm: 'organisation', fax: 'fax_number', title: 'jobtitle' },
      },
    });
    expect(mapped).toEqual({
      first: 'firstname',
      last: 'surname',
      firm: 'organisation',
      fax: 'fax_number',
      title: 'jobtitle',
      note: undefined,
      phone: undefined,
    });
  });

  it('take an empty choice for none', () => {
    expect(of({ inherits: true, read: { selectedFieldMappings: { mail: '' } } })).toEqual({ mail: undefined });
  });

  const writing = (o: Partial<InstallationContext>) => ({ ...contactsInstallation({ read }), ...o });
  const found = (context: InstallationContext) => inheritedMappings(context, 'contacts');
  type Written = NonNullable<NonNullable<InstallationContext['manifest']['write']>['objects']>;
  const declaring = (...objects: Written) => ({ name: 'crm', provider: 'hubspot', write: { objects } });

  it('are none where neither manifest nor config mentions writing or reading', () => {
    const manifest = { name: 'crm', provider: 'hubspot' };
    const config = { provider: 'hubspot' };
    expect(found(writing({ manifest, config }))).toBeUndefined();
    expect(found(writing({ manifest: { ...manifest, write: {} }, config: { ...config, write: {} } }))).toBeUndefined();
    const inherits = declaring({ objectName: 'contacts', inheritMapping: true });
    expect(found(writing({ manifest: inherits, config }))).toEqual(new Map());
    expect(found(writing({ manifest: { ...inherits, read: {} }, config: { ...config, read: {} } }))).toEqual(new Map());
  });

  it('go by the object that is written, not by its neighbours', () => {
    const objects = [
      { objectName: 'deals', inheritMapping: true },
      { objectName: 'contacts', inheritMapping: false },
    ];
    expect(found(writing({ manifest: declaring(...objects) }))).toBeUndefined();
    const reading = {
      objects: [
        { objectName: 'deals', requiredFields: [{ fieldName: 'amount', mapToName: 'sum' }] },
        { objectName: 'contacts', requiredFields: [{ fieldName: 'email', mapToName: 'mail' }] },
      ],
    };
    const manifest = { ...declaring({ objectName: 'contacts', inheritMapping: true }), read: reading };
    expect(found(writing({ manifest, config: { provider: 'hubspot' } }))).toEqual(new Map([['mail', 'email']]));
  });

  // A config map that was built carelessly could answer for an object that it has no entry of.
  it('are read from the own entries of the config only', () => {
    const foreign = (entry: object): never =>
      Object.create({ contacts: { objectName: 'contacts', ...entry } }) as never;
    const byWrite = { provider: 'hubspot', write: { objects: foreign({ inheritMapping: true }) } };
    expect(found(writing({ config: byWrite }))).toBeUndefined();
    const manifest = declaring({ objectName: 'contacts', inheritMapping: true });
    const byRead = { provider: 'hubspot', read: { objects: foreign({ selectedFieldMappings: { mail: 'email' } }) } };
    expect(found(writing({ manifest, config: byRead }))).toEqual(new Map());
  });
});
