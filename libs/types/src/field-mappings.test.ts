import { fieldMappings } from './field-mappings';
import type { ReadObjectConfig } from './read-config';

const config = (members: Partial<ReadObjectConfig>): ReadObjectConfig => ({ objectName: 'contacts', ...members });
const entries = (...given: Parameters<typeof fieldMappings>) => Object.fromEntries(fieldMappings(...given));

describe('fieldMappings', () => {
  it('is empty without a declaration and without a config', () => {
    expect(entries(undefined, undefined)).toEqual({});
    expect(entries({ objectName: 'contacts' }, config({}))).toEqual({});
  });

  it('takes required and optional fields of the manifest, and leaves out those without a mapped name', () => {
    const declared = {
      objectName: 'contacts',
      requiredFields: [{ fieldName: 'email', mapToName: 'mail' }, { fieldName: 'phone' }],
      optionalFields: [{ fieldName: 'city', mapToName: 'town' }],
    };
    expect(entries(declared, undefined)).toEqual({ mail: 'email', town: 'city' });
  });

  it('knows a mapping that the user left open', () => {
    const declared = { objectName: 'contacts', optionalFields: [{ mapToName: 'nick', prompt: 'Which?' }] };
    expect(entries(declared, undefined)).toEqual({ nick: undefined });
    expect(entries(undefined, config({ dynamicMappingsInput: [{ mapToName: 'plan' }] }))).toEqual({ plan: undefined });
  });

  it('lets a dynamic mapping with a field win over the manifest, and one without a field not', () => {
    const declared = {
      objectName: 'contacts',
      requiredFields: [
        { fieldName: 'f1', mapToName: 'a' },
        { fieldName: 'f2', mapToName: 'b' },
      ],
    };
    const dynamicMappingsInput = [{ mapToName: 'a', fieldName: 'd1' }, { mapToName: 'b' }];
    expect(entries(declared, config({ dynamicMappingsInput }))).toEqual({ a: 'd1', b: 'f2' });
  });

  it('lets the user’s selection win over both; an empty choice is none', () => {
    const declared = { objectName: 'contacts', requiredFields: [{ fieldName: 'f1', mapToName: 'a' }] };
    const dynamicMappingsInput = [{ mapToName: 'b', fieldName: 'd2' }];
    const selectedFieldMappings = { a: 's1', b: '', c: 's3' };
    expect(entries(declared, config({ dynamicMappingsInput, selectedFieldMappings }))).toEqual({
      a: 's1',
      b: undefined,
      c: 's3',
    });
  });
});
