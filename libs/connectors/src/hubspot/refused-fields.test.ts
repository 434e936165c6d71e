import { refusedFieldsOf } from './refused-fields';

const listed = (...problems: object[]) => ({
  message: `Property values were not valid: ${JSON.stringify(problems)}`,
});

test.each<[string, object, string[]]>([
  ['an unknown property', listed({ error: 'PROPERTY_DOESNT_EXIST', name: 'nosuch' }), ['nosuch']],
  ['a read-only one', listed({ error: 'READ_ONLY_VALUE', name: 'hs_object_id' }), ['hs_object_id']],
  ['each once', listed({ error: 'READ_ONLY_VALUE', name: 'a' }, { error: 'READ_ONLY_VALUE', name: 'a' }), ['a']],
  // Another record may carry a value that fits.
  ['a wrong value names no field', listed({ error: 'INVALID_OPTION', name: 'lifecyclestage' }), []],
  [
    'errors[]',
    { message: 'x', errors: [{ code: 'PROPERTY_DOESNT_EXIST', context: { propertyName: ['nosuch'] } }] },
    ['nosuch'],
  ],
  ['a text that is no list', { message: 'Property values were not valid: [oops' }, []],
  ['nothing', {}, []],
  ['odd members', { message: 7, errors: ['x', null, { code: 1, context: { propertyName: 'a' } }] }, []],
])('%s', (_case, body, expected) => expect(refusedFieldsOf(body as Record<string, unknown>)).toEqual(expected));
