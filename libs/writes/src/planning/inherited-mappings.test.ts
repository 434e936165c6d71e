import { contactsInstallation, type ContactSettings } from '../../test/builders';
import { inheritedMappings } from './inherited-mappings';

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
});
