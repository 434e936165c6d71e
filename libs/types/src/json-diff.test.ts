import * as fc from 'fast-check';
import { diffJson } from './json-diff';
import { applyJsonPatch } from './json-patch';

describe('diffJson', () => {
  it.each<[string, object, object, object[]]>([
    ['nothing for the same content in another order', { a: 1, b: { c: [1] } }, { b: { c: [1] }, a: 1 }, []],
    ['an added member', { a: 1 }, { a: 1, b: 2 }, [{ op: 'add', path: '/b', value: 2 }]],
    ['a removed member', { a: 1, b: 2 }, { a: 1 }, [{ op: 'remove', path: '/b' }]],
    [
      'the deepest member that differs, not its parents',
      { write: { objects: { contacts: { inheritMapping: false, x: 1 } } } },
      { write: { objects: { contacts: { inheritMapping: true, x: 1 } } } },
      [{ op: 'replace', path: '/write/objects/contacts/inheritMapping', value: true }],
    ],
    ['a list as a whole', { a: [1, 2] }, { a: [1, 3] }, [{ op: 'replace', path: '/a', value: [1, 3] }]],
    ['a list that became an object', { a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    ['names with / and ~, escaped', {}, { 'a/b~c': 1 }, [{ op: 'add', path: '/a~1b~0c', value: 1 }]],
  ])('says %s', (_, before, after, changes) => expect(diffJson(before, after)).toEqual(changes));

  // 60 MB of paths, from a document of 200 kB.
  it('replaces whole what a long name stands before', () => {
    const of = (value: number) => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`m${at}`, value]));
    const name = 'x'.repeat(200_000);
    const [before, after] = [of(1), of(2)].map((inner) => ({ a: { [name]: inner }, b: 1, c: [{ [name]: 1 }] }));
    const changes = diffJson(before ?? {}, after ?? {});
    expect(changes.map(({ op, path }) => [op, path])).toEqual([['replace', '/a']]);
    expect(applyJsonPatch(before ?? {}, changes).document).toEqual(after);
  });

  // Names that a pointer refuses (empty, NUL, prototypes) never enter a config, so they are not generated.
  const name = fc
    .string({ minLength: 1, maxLength: 4 })
    .filter((text) => !/\0|^(__proto__|constructor|prototype)$/.test(text));
  const anyDocument = fc.dictionary(
    name,
    fc
      .jsonValue({ maxDepth: 0 })
      .chain((leaf) =>
        fc.oneof(
          fc.constant(leaf),
          fc.array(fc.constant(leaf), { maxLength: 3 }),
          fc.dictionary(name, fc.constant(leaf)),
        ),
      ),
  );
  // As JSON carries it: without a negative zero.
  const document = anyDocument.map((value) => JSON.parse(JSON.stringify(value)) as object);

  it('applied to what was before, makes what is after', () => {
    fc.assert(
      fc.property(document, document, (before, after) => {
        expect(applyJsonPatch(before, diffJson(before, after)).document).toEqual(JSON.parse(JSON.stringify(after)));
      }),
    );
  });
});
