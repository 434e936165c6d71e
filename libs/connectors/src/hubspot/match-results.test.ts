import { matchCreates, matchUpdates } from './match-results';
import { readBatch } from './wire';

const options = { objectName: 'contacts', token: '' };
const contact = (email: string) => ({ email, firstname: 'A' });
const result = (id: string, email?: string, rest: object = {}) => ({
  id,
  properties: email === undefined ? {} : { email },
  ...rest,
});
const shown = (id: string, properties: object) => ({ id, properties });
const refused = (trace: string | undefined, category = 'VALIDATION_ERROR') => ({
  status: 'error',
  category,
  message: `bad ${trace ?? ''}`,
  ...(trace !== undefined && { context: { objectWriteTraceId: [trace] } }),
});

function creates(
  inputs: readonly object[],
  results: readonly object[],
  errors: readonly object[] = [],
  rest: object = {},
): string[] {
  const batch = readBatch({ status: 'COMPLETE', results, errors, ...rest });
  return matchCreates(
    inputs.map((input) => ({ ...input })),
    batch,
    options,
  ).map(summaryOf);
}

function updates(
  ids: readonly string[],
  results: readonly object[],
  errors: readonly object[] = [],
  rest: object = {},
): string[] {
  const batch = readBatch({ status: 'COMPLETE', results, errors, ...rest });
  const inputs = ids.map((recordId) => ({ recordId, fields: { firstname: `new ${recordId}` } }));
  return matchUpdates(inputs, batch, options).map(summaryOf);
}

const summaryOf = (outcome: ReturnType<typeof matchCreates>[number]) =>
  outcome.ok ? `${outcome.recordId}${outcome.warnings ? ' !' : ''}` : outcome.error.class;

const [a, b, c] = [contact('a@x'), contact('b@x'), contact('c@x')];
const [unknown, traced] = ['unknown', (trace: string) => ({ objectWriteTraceId: trace })];

describe('creates', () => {
  test.each<[string, object[], object[], object[], string[]]>([
    [
      'the echo decides over everything',
      [a, b],
      [result('2', 'a@x', traced('1')), result('1', 'b@x', traced('0'))],
      [],
      ['1', '2'],
    ],
    [
      'errors by trace id, the rest by email in any case and any order',
      [contact('A@x '), b, c],
      [result('3', 'c@x'), result('1', 'a@x')],
      [refused('1')],
      ['1', 'rejected', '3'],
    ],
    [
      'without a unique property, in any order: by what was sent',
      [{ name: 'a', city: 'x' }, { name: 'b' }, { name: 'c', size: null }],
      [shown('3', { name: 'C', size: '' }), shown('1', { name: 'a', city: 'x', owner: '7' })],
      [refused('1')],
      ['1', 'rejected', '3'],
    ],
    [
      'those that sent the same have what they sent, whichever has which',
      [{ name: 'a' }, { name: 'b' }, { name: 'a' }],
      [shown('2', { name: 'b' }), shown('1', { name: 'a' }), shown('3', { name: 'a' })],
      [],
      ['1', '2', '3'],
    ],
    [
      'what two records of three inputs may be is in doubt',
      [{ name: 'a' }, { name: 'a', city: 'x' }, { name: 'b' }],
      [shown('1', { name: 'a', city: 'x' }), shown('2', { name: 'a', city: 'y' }), shown('3', { name: 'b' })],
      [],
      [unknown, unknown, '3'],
    ],
    [
      'what shows nothing of what was sent: never by order',
      [{ name: 'a' }, { name: 'b' }],
      [result('1'), result('2')],
      [],
      [unknown, unknown],
    ],
    ['the one that is left', [a, { name: 'b' }], [result('1', 'a@x'), result('2')], [], ['1', '2']],
    ['counts do not add up: no guess by order', [{ name: 'a' }, { name: 'b' }], [result('1')], [], [unknown, unknown]],
    [
      'nor beside an email',
      [a, { name: 'b' }, { name: 'c' }],
      [result('1', 'a@x'), result('2')],
      [],
      ['1', unknown, unknown],
    ],
    [
      'an error without context leaves its record in doubt, never another a success',
      [a, b],
      [result('2', 'b@x')],
      [refused(undefined)],
      [unknown, '2'],
    ],
    [
      'only the error distinguishes equal emails',
      [a, a],
      [result('1', 'a@x')],
      [refused('1', 'CONFLICT')],
      ['1', 'conflict'],
    ],
    ['equal emails without an error', [a, a], [result('1', 'a@x')], [], [unknown, unknown]],
    ["a stranger's email spoils the order", [a, b], [result('1', 'z@x'), result('2', 'y@x')], [], [unknown, unknown]],
    ['both lists empty', [a], [], [], [unknown]],
    ['more results than inputs', [{ name: 'a' }], [result('1'), result('2')], [], [unknown]],
    ['one id twice', [{ name: 'a' }, { name: 'b' }], [result('1'), result('1')], [], [unknown, unknown]],
    [
      'a trace id of no input is passed over',
      [a],
      [result('1', 'a@x', traced('7'))],
      [refused('99'), refused('x')],
      ['1'],
    ],
    [
      'a result and an error: it was created, with a warning',
      [a],
      [result('1', 'a@x', traced('0'))],
      [refused('0')],
      ['1 !'],
    ],
  ])('%s', (...[, inputs, results, errors, expected]) => {
    expect(creates(inputs, results, errors)).toEqual(expected);
  });

  test('no lists, rubbish', () => {
    expect(matchCreates([contact('a@x')], readBatch({}), options).map(summaryOf)).toEqual(['unknown']);
    const rubbish = readBatch({
      results: [null, 5, { id: '' }, { id: {} }],
      errors: ['no', { context: 7 }],
      numErrors: 'x',
    });
    expect(matchCreates([contact('a@x')], rubbish, options).map(summaryOf)).toEqual(['unknown']);
  });

  test('numErrors need not equal the errors', () => {
    expect(creates([contact('a@x'), contact('b@x')], [result('1', 'a@x')], [refused('1')], { numErrors: 36 })).toEqual([
      '1',
      'rejected',
    ]);
  });

  test('a conflict names the existing record', () => {
    const error = {
      category: 'CONFLICT',
      message: 'Contact already exists',
      context: { objectWriteTraceId: ['0'], existingId: ['9'] },
    };
    const [outcome] = matchCreates([contact('a@x')], readBatch({ errors: [error] }), options);
    expect(outcome).toMatchObject({ ok: false, error: { class: 'conflict', existingId: '9', scope: 'record' } });
  });

  test('a normalised value is a warning', () => {
    const warnings = [{ category: 'PROPERTY_VALUE_NORMALIZED', context: { propertyName: ['email'], rawValue: 'A@x' } }];
    const [outcome] = matchCreates(
      [contact('a@x')],
      readBatch({ results: [result('1', 'a@x', { warnings })] }),
      options,
    );
    expect(outcome).toMatchObject({ ok: true, warnings: ['PROPERTY_VALUE_NORMALIZED email'] });
  });
});

describe('updates', () => {
  const gone = (...ids: string[]) => ({ category: 'OBJECT_NOT_FOUND', message: 'gone', context: { ids } });
  const merged = (firstname: string) => ({ id: '9', properties: { firstname } });
  test.each<[string, string[], object[], object[], string[]]>([
    [
      'results by id in any order, errors by context.ids',
      ['1', '2', '3'],
      [result('3'), result('1')],
      [gone('2')],
      ['1', 'not-found', '3'],
    ],
    ['one error may name several records', ['1', '2'], [], [gone('1', '2', '77')], ['not-found', 'not-found']],
    ['errors by trace id', ['1', '2'], [result('1')], [refused('1')], ['1', 'rejected']],
    ['left out of the reply: failed, never a success', ['1', '2'], [result('1')], [], ['1', 'rejected']],
    ['a merged record by its echo', ['1', '2'], [result('9', undefined, traced('0')), result('2')], [], ['9 !', '2']],
    ['a merged record by what was sent', ['1', '2'], [merged('NEW 1'), result('2')], [], ['9 !', '2']],
    ['another record by what was not', ['1', '2'], [merged('else'), result('2')], [], ['rejected', '2']],
  ])('%s', (...[, ids, results, errors, expected]) => {
    expect(updates(ids, results, errors)).toEqual(expected);
  });

  test('left out of a reply that is not complete: may be applied', () => {
    expect(updates(['1'], [], [], { status: 'PENDING' })).toEqual(['unknown']);
  });
});

test('one outcome per input for any reply', () => {
  const pick = <T>(items: readonly [T, ...T[]], at: number): T => items[at % items.length] ?? items[0];
  for (let seed = 0; seed < 2_000; seed++) {
    const inputs = Array.from({ length: 1 + (seed % 4) }, (_, index) =>
      pick<object>([contact(`${index}@x`), contact('same@x'), { name: 'n' }], seed >> index),
    );
    const results = Array.from({ length: (seed >> 2) % 5 }, (_, index) =>
      pick([result(`${index}`, `${index}@x`), result('1'), result('2', 'same@x')], seed >> (index + 1)),
    );
    const errors = Array.from({ length: (seed >> 4) % 3 }, (_, index) =>
      refused(pick<string | undefined>(['0', undefined, '1', '9'], seed >> index)),
    );
    const outcomes = creates(inputs, results, errors);
    const written = outcomes.filter((outcome) => /^\d/.test(outcome));
    expect(outcomes).toHaveLength(inputs.length);
    expect(new Set(written).size).toBe(written.length);
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining(written.map((text) => text.replace(' !', ''))));
  }
});
