import { ValidationError, type Issue } from '@sluice/errors';
import { limits, memberName, type JsonSchema } from '@sluice/types';
import { validate } from './route';

const name = { type: 'string', minLength: 1, maxLength: 10, pattern: '^[^\\u0000]+$' };
const schema = {
  type: 'object',
  additionalProperties: false,
  required: ['groupRef', 'type'],
  properties: {
    groupRef: name,
    field: memberName,
    type: { type: 'string', enum: ['create', 'update', 'delete'] },
    mode: { type: 'string', enum: ['synchronous', 'asynchronous'] },
    hours: { type: 'integer', minimum: 1, maximum: 48 },
    at: { type: 'string', format: 'date-time' },
    value: { type: ['string', 'number', 'boolean'] },
    accessToken: { type: 'object', properties: { token: { type: 'string', minLength: 5 } } },
    batch: {
      type: 'array',
      minItems: 1,
      maxItems: 3,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['record'],
        properties: { record: { type: 'object', properties: { id: name } } },
      },
    },
  },
};
const pin = { type: 'string', minLength: 5, writeOnly: true };
const secretive = { ...schema, properties: { ...schema.properties, pin } };
const fine = { groupRef: 'g', type: 'create' };

function issuesOf(of: JsonSchema, value: unknown, where?: Issue['in']): readonly Issue[] {
  try {
    validate(of, where)(value);
  } catch (error) {
    if (error instanceof ValidationError) return error.issues;
    throw error;
  }
  return [];
}

describe('validate', () => {
  const exactlyOne = {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    maxProperties: 1,
    properties: { text: { type: 'string' }, count: { type: 'integer' }, flag: { type: 'boolean' } },
  };
  it.each<[string, object, string]>([
    ['none', {}, 'takes exactly one of text, count or flag'],
    ['two', { text: '', flag: true }, 'takes exactly one of text, count or flag; it has text and flag'],
  ])('names the members of an object that takes one of them: %s', (_case, value, detail) => {
    expect(issuesOf(exactlyOne, value).map((issue) => issue.detail)).toEqual([detail]);
  });

  it.each<[string, object, readonly [string, string, unknown?]]>([
    ['missing', { type: 'create' }, ['groupRef', 'is required']],
    ['a list for a text', { ...fine, groupRef: [1, 2] }, ['groupRef', 'must be a string', 'list of 2']],
    ['an object for a text', { ...fine, groupRef: { a: 1 } }, ['groupRef', 'must be a string', 'object of 1']],
    ['not coerced', { ...fine, hours: '5' }, ['hours', 'must be a whole number', '5']],
    ['too large', { ...fine, hours: 49 }, ['hours', 'must be at most 48', 49]],
    ['enum of another type', { ...fine, type: 7 }, ['type', 'must be one of "create", "update", "delete"', 7]],
    ['NUL', { ...fine, groupRef: 'a\0' }, ['groupRef', 'must not be empty or hold a NUL character', 'a\0']],
    [
      'prototype',
      { ...fine, field: '__proto__' },
      ['field', 'must not be empty, hold a NUL character, or be __proto__, constructor or prototype', '__proto__'],
    ],
    ['date', { ...fine, at: 'x' }, ['at', 'must be a date-time with offset, such as 2026-01-31T09:30:00Z', 'x']],
    ['one of types', { ...fine, value: null }, ['value', 'must be a string, a number or true or false', null]],
    [
      'too many',
      { ...fine, batch: [1, 2, 3, 4].map(() => ({ record: {} })) },
      ['batch', 'must have at most 3 items', 'list of 4'],
    ],
    [
      'deep',
      { ...fine, batch: [{ record: {} }, { record: { id: 7 } }] },
      ['batch[1].record.id', 'must be a string', 7],
    ],
    ['not an object', [], ['body', 'must be an object', 'list of 0']],
  ])('%s: names the field and the rule', (_case, value, [path, detail, shown]) => {
    expect(issuesOf(schema, value)).toEqual([
      { in: 'body', name: path, detail, ...(shown === undefined ? {} : { value: shown }) },
    ]);
  });

  it('lists every broken rule, and says how many in the detail', () => {
    const value = { type: 'x', hours: 0, extra: 1 };
    expect(
      issuesOf(schema, value)
        .map((issue) => issue.name)
        .toSorted(),
    ).toEqual(['extra', 'groupRef', 'hours', 'type']);
    expect(() => validate(schema)(value)).toThrow(/and 3 more/);
  });

  it('lists a bounded number', () => {
    const value = { ...fine, ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`f${n}`, n])) };
    expect(issuesOf(schema, value)).toHaveLength(limits.issuesMax);
  });

  // A body that breaks a rule in each of its many parts must not cost more than one that is accepted.
  it('stops at the first fault of a large body', () => {
    const open = { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } };
    expect(issuesOf(open, { list: Array.from({ length: 10_000 }, () => 1) })).toHaveLength(1);
  });

  describe('unknown fields', () => {
    it('do not suggest a field that is there already', () => {
      expect(issuesOf(schema, { ...fine, types: 'create' })[0]?.detail).not.toContain('did you mean');
    });

    it('list a few known fields when none is near', () => {
      const detail = issuesOf(schema, { ...fine, batch: [{ record: {}, xyz: 1 }] })[0]?.detail;
      expect(detail).toBe('is not a known field; known are record');
    });
  });

  // Security checklist 4 and 14: no secret in any reply, not even a refused one.
  it.each([
    { ...fine, accessToken: { token: 'cana' } },
    { ...fine, accesToken: 'canary' },
    { ...fine, pin: 'cana' },
    { ...fine, groupRef: { apiKey: 'canary' } },
  ])('never shows a secret: %j', (value) => {
    const issues = issuesOf(secretive, value);
    expect(issues).toHaveLength(1);
    expect(JSON.stringify(issues)).not.toContain('cana');
  });

  describe('in a body that carries secrets', () => {
    const credentials = { type: 'object', writeOnly: true, additionalProperties: false, properties: { user: name } };
    const account = {
      type: 'object',
      additionalProperties: false,
      properties: { groupRef: name, pin, login: credentials },
    };
    const outer = { type: 'object', additionalProperties: false, properties: { account } };

    it('a text in place of the object that holds them is not shown', () => {
      expect(issuesOf(account, { login: 'canary' })).toEqual([
        { in: 'body', name: 'login', detail: 'must be an object' },
      ]);
    });

    // A secret sent as a name by mistake would get into the reply's detail and into the log.
    it.each<{ where: string; of: JsonSchema; value: object; path: string; known: string }>([
      { where: 'around them', of: outer, value: { canary: 'x' }, path: 'body', known: 'account' },
      { where: 'inside them', of: account, value: { login: { canary: 'x' } }, path: 'login', known: 'user' },
    ])('an unknown name $where is not shown', ({ of, value, path, known }) => {
      const detail = `has an unknown field, whose name is not shown because it may be a secret; known are ${known}`;
      expect(issuesOf(of, value)).toEqual([{ in: 'body', name: path, detail }]);
      expect(() => validate(of)(value)).toThrow(detail);
    });

    it('a misspelt name is shown', () => {
      expect(issuesOf(account, { groupref: 'g' })).toEqual([
        { in: 'body', name: 'groupref', detail: 'is not a known field; did you mean groupRef?' },
      ]);
    });
  });

  it('shortens long values', () => {
    const value = issuesOf(schema, { ...fine, groupRef: 'é'.repeat(500) })[0]?.value;
    expect(value).toBe(`${'é'.repeat(80)}…`);
  });

  describe('queries', () => {
    const query = {
      type: 'object',
      additionalProperties: false,
      properties: { pageSize: { type: 'integer', minimum: 1 }, dryRun: { type: 'boolean' } },
    };

    it('turns texts into numbers and booleans', () => {
      expect(validate(query, 'query')({ pageSize: '20', dryRun: 'true' })).toEqual({ pageSize: 20, dryRun: true });
      expect(validate(query, 'query')({ dryRun: 'false' })).toEqual({ dryRun: false });
    });

    it('leaves the texts that were sent as they are', () => {
      const sent = { pageSize: '20' };
      validate(query, 'query')(sent);
      expect(sent).toEqual({ pageSize: '20' });
    });

    // A number has one spelling. What JavaScript reads as one (`Number('0x5')`) is a slip of whoever made the address.
    // 1e309 became Infinity, passed every limit, and reached the database.
    it.each(['0x5', '1e1', ' 1', '1 ', '+1', '1.0', '01', '-0', '', '١', '9007199254740993', '1e309', 'many'])(
      'the text %j is no whole number',
      (pageSize) => {
        const issue = { in: 'query', name: 'pageSize', detail: 'must be a whole number', value: pageSize };
        expect(issuesOf(query, { pageSize }, 'query')).toEqual([issue]);
      },
    );

    it.each(['TRUE', '1', '', 'yes'])('the text %j is neither true nor false', (dryRun) => {
      expect(issuesOf(query, { dryRun }, 'query')).toMatchObject([{ name: 'dryRun', detail: 'must be true or false' }]);
    });

    it('holds a number against its limits', () => {
      expect(issuesOf(query, { pageSize: '-3' }, 'query')).toMatchObject([{ detail: 'must be at least 1', value: -3 }]);
      expect(issuesOf(query, { pageSize: '0' }, 'query')).toMatchObject([{ detail: 'must be at least 1', value: 0 }]);
    });
  });

  it('refuses a schema that is not valid, at the first value', () => {
    expect(() => validate({ type: 'strin' })({})).toThrow('type must be JSONType');
    expect(() => validate({ type: 'object', propertys: {} })({})).toThrow('unknown keyword');
  });
});
