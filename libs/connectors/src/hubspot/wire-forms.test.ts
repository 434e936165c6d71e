import { cleanText } from '../provider-call';
import { createdProperty, sentFilters } from './search';
import { toProperties } from './wire';

test('properties: null empties, a list is a multi-select, the rest is sent as given', () => {
  const given = { a: 'x', b: 1, c: false, d: '', e: { f: 1 } };
  expect(toProperties({ ...given, g: null, h: ['x', 'y'] })).toEqual({ ...given, g: '', h: 'x;y' });
});

// Joined, they would arrive as other values; HubSpot refuses a list with words of its own.
test.each([[[{ a: 1 }]], [[null, 'a']], [['a', ['b']]], [['a;b', 'c']], [['', 'a']]])(
  'properties: the list %j is sent as given',
  (list) => expect(toProperties({ tags: list })).toEqual({ tags: list }),
);

describe('[sec-23] cleanText', () => {
  test('masks the token, bearer credentials and private-app keys before it cuts', () => {
    const text = `${'x'.repeat(2_040)} token-12345 Bearer abcdefghijkl pat-na1-0a1b2c3d-0000`;
    expect(cleanText(text, 'token-12345')).not.toContain('token');
    expect(cleanText('Bearer abcdefghijkl, pat-na1-0a1b2c3d-0000', '')).toBe('Bearer [secret], [secret]');
  });

  test('strips control characters and never cuts a character in two', () => {
    expect(cleanText('a\r\n\u0000b\u001b[31m\u202ec', '')).toBe('a b [31m c');
    expect(cleanText('\ud800 x', '')).toBe('\ufffd x');
    expect(cleanText('😀'.repeat(1_000), '')).toMatch(/^(😀)+…$/u);
  });
});

describe('what is searched for', () => {
  test('the five most telling texts and numbers', () => {
    const fields = {
      note: 'a longer text',
      city: 'Rome',
      lastname: 'L',
      firstname: 'F',
      email: 'a@x',
      flag: true,
      none: null,
      size: 5,
      multi: 'a;b',
      long: 'x'.repeat(300),
    };
    expect(sentFilters(fields).map(({ propertyName }) => propertyName)).toEqual([
      'email',
      'lastname',
      'firstname',
      'note',
      'city',
    ]);
  });

  test('nothing that distinguishes records', () => {
    expect(sentFilters({ flag: true, none: null, empty: ' ', list: ['a'] })).toEqual([]);
  });

  test('the time of creation has two names', () => {
    expect(createdProperty('contacts')).toBe('createdate');
    expect(createdProperty('notes')).toBe('hs_createdate');
    expect(createdProperty('2-77')).toBe('hs_createdate');
  });
});
