import { applyJsonPatch } from './json-patch';
import type { JsonPatchOperation } from './installation-request';

const stored = {
  objectName: 'contacts',
  deletionSettings: { enabled: false },
  selectedFields: { phone: true },
  fieldFilters: ['a', 'b'],
};
const change = (op: JsonPatchOperation['op'], path: string, value?: unknown): JsonPatchOperation => ({
  op,
  path,
  ...(value === undefined ? {} : { value }),
});

describe('applyJsonPatch', () => {
  it.each<[string, JsonPatchOperation[], object]>([
    ['adds a member', [change('add', '/inheritMapping', true)], { ...stored, inheritMapping: true }],
    [
      'adds over a member, as RFC 6902 says',
      [change('add', '/deletionSettings', { enabled: true })],
      { ...stored, deletionSettings: { enabled: true } },
    ],
    ['removes a member', [change('remove', '/selectedFields/phone')], { ...stored, selectedFields: {} }],
    [
      'keeps null and false as values',
      [change('add', '/a', null), change('add', '/b', false)],
      { ...stored, a: null, b: false },
    ],
    [
      'applies in order',
      [change('add', '/x', {}), change('add', '/x/y~1z', 1), change('replace', '/x/y~1z', 2)],
      { ...stored, x: { 'y/z': 2 } },
    ],
    ['inserts into a list', [change('add', '/fieldFilters/1', 'n')], { ...stored, fieldFilters: ['a', 'n', 'b'] }],
    [
      'adds behind a list, by - and by number',
      [change('add', '/fieldFilters/-', 'c'), change('add', '/fieldFilters/3', 'd')],
      { ...stored, fieldFilters: ['a', 'b', 'c', 'd'] },
    ],
    ['replaces in a list', [change('replace', '/fieldFilters/0', 'n')], { ...stored, fieldFilters: ['n', 'b'] }],
    ['removes from a list', [change('remove', '/fieldFilters/0')], { ...stored, fieldFilters: ['b'] }],
  ])('%s', (_case, changes, expected) => {
    const before = JSON.stringify(stored);
    expect(applyJsonPatch(stored, changes)).toEqual({ document: expected });
    expect(JSON.stringify(stored)).toBe(before);
  });

  it.each<[string, JsonPatchOperation, RegExp]>([
    ['replace of nothing', change('replace', '/inheritMapping', true), /nothing that is there; use add/],
    ['remove of nothing', change('remove', '/inheritMapping'), /nothing that is there/],
    ['a missing parent', change('add', '/selectedFieldSettings/phone', {}), /add \/selectedFieldSettings first/],
    ['a member of a text', change('add', '/objectName/x', 1), /no members/],
    ['a name in a list', change('add', '/fieldFilters/x', 1), /an index of the list/],
    ['a place with a leading zero', change('replace', '/fieldFilters/01', 1), /an index of the list/],
    ['a place behind the list', change('replace', '/fieldFilters/2', 1), /nothing that is there/],
    ['a place far behind the list', change('add', '/fieldFilters/9', 1), /nothing that is there/],
    ['- where something must be', change('remove', '/fieldFilters/-'), /an index of the list/],
    ['an inherited member', change('replace', '/toString', 1), /nothing that is there/],
    ['a path through an inherited member', change('add', '/toString/x', 1), /add \/toString first/],
    ['the prototype itself', change('add', '/__proto__', { polluted: 1 }), /JSON pointer/],
  ])('refuses %s', (_case, wrong, detail) => {
    const patched = applyJsonPatch(stored, [change('add', '/first', 1), wrong, change('remove', '/nothing')]);
    expect(patched.document).toBeUndefined();
    expect(patched.issues).toEqual([
      { in: 'body', name: 'changes[1].path', detail: expect.stringMatching(detail), value: wrong.path },
    ]);
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});
