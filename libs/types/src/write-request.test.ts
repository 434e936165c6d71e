import { limits } from './limits';
import { type WriteRequest, checkWriteRequest, codeOfWriteIssues } from './write-request';

const create: WriteRequest = { groupRef: 'g', type: 'create', record: { email: 'a@example.com' } };
const update: WriteRequest = { groupRef: 'g', type: 'update', record: { id: '1', email: 'a@example.com' } };
const remove: WriteRequest = { groupRef: 'g', type: 'delete', record: { id: '1' } };
const batch = [{ record: { email: 'a' } }, { record: { email: 'b' } }];

const namesOf = (body: WriteRequest) => checkWriteRequest(body).map(({ name }) => name);
const manyFields = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]));
/** JSON.parse gives own members named `__proto__`, as a request may carry them. */
const parsed = (text: string) => JSON.parse(text) as WriteRequest['record'] & object;

describe('valid writes', () => {
  it.each<[string, WriteRequest]>([
    ['create, mode omitted', create],
    ['update of nothing but the id', { ...update, record: { id: '1' } }],
    ['delete with headers', { ...remove, headers: [{ key: 'Sforce-Call-Options', value: 'client=x' }] }],
    ['batch with policy', { groupRef: 'g', type: 'create', batch, batchPolicy: { allOrNone: true } }],
    [
      'asynchronous batch with retries',
      { groupRef: 'g', type: 'create', mode: 'asynchronous', batch, retryPolicy: {} },
    ],
    [
      'auto-batch beside retryPolicy',
      { ...create, mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 }, retryPolicy: { deadlineHours: 2 } },
    ],
    ['null and nested values', { ...create, record: { a: null, b: { c: ['d', { e: 1 }] }, f: 'with \0 inside' } }],
    ['the most fields', { ...create, record: manyFields(limits.recordFieldsMax) }],
  ])('%s', (_, body) => {
    expect(checkWriteRequest(body)).toEqual([]);
  });
});

describe('record or batch', () => {
  it('needs one of them', () => {
    expect(checkWriteRequest({ groupRef: 'g', type: 'create' })).toEqual([
      { in: 'body', name: 'record', detail: 'is required, or batch instead' },
    ]);
  });

  it('refuses both', () => {
    expect(namesOf({ ...create, batch })).toEqual(['batch']);
  });

  it('wants associations of a batch on its items', () => {
    expect(namesOf({ groupRef: 'g', type: 'create', batch, associations: [] })).toEqual(['associations']);
  });
});

describe('policies', () => {
  // Rulings: mode omitted = synchronous, and the remedy names the one change that helps.
  it.each<[string, WriteRequest]>([
    ['autoBatchPolicy', { ...create, autoBatchPolicy: { maxDelayMinutes: 1 } }],
    ['autoBatchPolicy', { ...create, mode: 'synchronous', autoBatchPolicy: { maxDelayMinutes: 1 } }],
    ['retryPolicy', { ...create, retryPolicy: {} }],
    ['retryPolicy', { ...create, mode: 'synchronous', retryPolicy: {} }],
  ])('%s needs asynchronous mode', (name, body) => {
    const issues = checkWriteRequest(body);
    expect(issues).toEqual([{ in: 'body', name, detail: 'needs asynchronous mode: add "mode": "asynchronous"' }]);
    expect(codeOfWriteIssues(issues)).toBe('write.mode-required');
  });

  it('refuses autoBatchPolicy with batch, also in asynchronous mode', () => {
    const body: WriteRequest = { groupRef: 'g', type: 'create', batch, autoBatchPolicy: { maxDelayMinutes: 1 } };
    expect(namesOf({ ...body, mode: 'asynchronous' })).toEqual(['autoBatchPolicy']);
    expect(codeOfWriteIssues(checkWriteRequest(body))).toBe('request.invalid');
  });

  it('refuses batchPolicy without batch', () => {
    expect(namesOf({ ...create, batchPolicy: {} })).toEqual(['batchPolicy']);
  });
});

describe('delete', () => {
  it('refuses asynchronous mode', () => {
    expect(checkWriteRequest({ ...remove, mode: 'asynchronous' })).toEqual([
      { in: 'body', name: 'mode', detail: 'must be synchronous: a delete always is', value: 'asynchronous' },
    ]);
  });

  it.each([
    { associations: [] },
    { batchPolicy: {} },
    { autoBatchPolicy: { maxDelayMinutes: 1 } },
    { retryPolicy: {} },
  ])('refuses %j, and does not advise asynchronous mode', (more) => {
    const issues = checkWriteRequest({ ...remove, ...more });
    expect(issues.map(({ name }) => name)).toEqual(Object.keys(more));
    expect(codeOfWriteIssues(issues)).toBe('request.invalid');
  });

  it('refuses a batch', () => {
    expect(namesOf({ groupRef: 'g', type: 'delete', batch: [{ record: { id: '1' } }] })).toEqual(['batch']);
  });

  it('takes only id in the record', () => {
    expect(namesOf({ ...remove, record: { id: '1', email: 'a', 'first name': 'b' } })).toEqual([
      'record.email',
      'record["first name"]',
    ]);
    expect(namesOf({ ...remove, record: {} })).toEqual(['record.id']);
    expect(checkWriteRequest({ groupRef: 'g', type: 'delete' })[0]?.detail).toBe('is required');
  });
});

it.each<[WriteRequest, string]>([
  [{ ...create, batch }, 'cannot be combined with record'],
  [{ groupRef: 'g', type: 'create', batch, associations: [] }, 'must stand on each item of batch'],
  [{ ...create, batchPolicy: {} }, 'is for batch only'],
  [{ ...remove, retryPolicy: {} }, 'cannot be used with a delete: it takes a single record and no policy'],
  [{ ...remove, record: { id: '1', a: 1 } }, 'is not allowed: the record of a delete holds only id'],
  [{ ...create, record: {} }, 'must hold at least one field'],
  [{ ...create, record: manyFields(limits.recordFieldsMax + 1) }, `holds more than ${limits.recordFieldsMax} fields`],
])('of %j it says the rule', (body, detail) => {
  expect(checkWriteRequest(body).map((issue) => issue.detail)).toEqual([detail]);
});

describe('ids', () => {
  it.each([undefined, null, '', 1.5, -1, true, {}, [], 'a\0b', 'x'.repeat(256)])('an update refuses id %j', (id) => {
    const record = { ...(id === undefined ? {} : { id }), email: 'a' };
    expect(namesOf({ ...update, record })).toEqual(['record.id']);
  });

  it('needs one in each record of a batch', () => {
    expect(
      namesOf({ groupRef: 'g', type: 'update', batch: [{ record: { id: '1' } }, { record: { email: 'b' } }] }),
    ).toEqual(['batch[1].record.id']);
  });

  const isRequired = "is required for update: the provider's id of the record";
  const isNone = `must be an id: 1 to ${limits.nameCharactersMax} characters without NUL, or a whole number`;
  it.each([
    [{}, { detail: isRequired }],
    [{ id: null }, { detail: isNone, value: null }],
    [{ id: 1.5 }, { detail: isNone, value: 1.5 }],
    // An object is not shown; a text is cut.
    [{ id: { secret: 1 } }, { detail: isNone }],
    [{ id: 'x'.repeat(256) }, { detail: isNone, value: 'x'.repeat(80) }],
  ])('says of %j what an id is', (record, issue) => {
    const path = { in: 'body', name: 'record.id' };
    expect(checkWriteRequest({ ...update, record: { email: 'a', ...record } })).toEqual([{ ...path, ...issue }]);
  });
});

describe('fields', () => {
  it('refuses a create of nothing', () => {
    expect(namesOf({ ...create, record: {} })).toEqual(['record']);
    expect(namesOf({ groupRef: 'g', type: 'create', batch: [{ record: {} }] })).toEqual(['batch[0].record']);
  });

  it('refuses one field too many', () => {
    expect(namesOf({ ...create, record: manyFields(limits.recordFieldsMax + 1) })).toEqual(['record']);
  });

  it.each([
    ['{"a": {"__proto__": 1}}', 'record.a.__proto__'],
    ['{"a": [1, {"constructor": 1}]}', 'record.a[1].constructor'],
    ['{"": 1}', 'record[""]'],
    ['{"a\\u0000b": 1}', 'record["a\\u0000b"]'],
  ])('refuses the name in %s', (text, name) => {
    expect(namesOf({ ...create, record: parsed(text) })).toEqual([name]);
  });
});

it('lists at most 20 issues', () => {
  const bad = Array.from({ length: 100 }, () => ({ record: { email: 'a' } }));
  expect(checkWriteRequest({ groupRef: 'g', type: 'update', batch: bad })).toHaveLength(limits.issuesMax);
});
