import { toSent } from './values';

test('values go as given, null included; a list becomes one text', () => {
  const given = { a: 'x', b: 1, c: false, d: '', e: null, f: { g: 1 } };
  expect(toSent({ ...given, h: ['x', 2, true], i: [] }, 'create')).toEqual({ ...given, h: 'x;2;true', i: '' });
});

// Joined, they would arrive as other values; Salesforce refuses a list with words of its own.
test.each([[[{ a: 1 }]], [[null, 'a']], [['a', ['b']]], [['a;b', 'c']], [['', 'a']]])(
  'the list %j is sent as given',
  (list) => expect(toSent({ tags: list }, 'create')).toEqual({ tags: list }),
);

test('reserved names are left out in any case: attributes always, the id on update', () => {
  const given = { Attributes: 1, ID: '7', id: '7', Name: 'a' };
  expect(toSent(given, 'create')).toEqual({ ID: '7', id: '7', Name: 'a' });
  expect(toSent(given, 'update')).toEqual({ Name: 'a' });
});
