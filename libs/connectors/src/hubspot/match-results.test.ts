import { matchCreates, matchUpdates } from './match-results';
import { readBatch } from './wire';

const options = { objectName: 'contacts', token: '' };
const contact = (email: string) => ({ email, firstname: 'A' });
const result = (id: string, email?: string, rest: object = {}) => ({
  id,
  properties: email === undefined ? {} : { email },
  ...rest,
});
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

describe('creates', () => {
  test('the echo decides over everything', () => {
    const results = [result('2', 'a@x', { objectWriteTraceId: '1' }), result('1', 'b@x', { objectWriteTraceId: '0' })];
    expect(creates([contact('a@x'), contact('b@x')], results)).toEqual(['1', '2']);
  });

  test('errors by trace id, the rest by email in any case and any order', () => {
    const inputs = [contact('A@x '), contact('b@x'), contact('c@x')];
    expect(creates(inputs, [result('3', 'c@x'), result('1', 'a@x')], [refused('1')])).toEqual(['1', 'rejected', '3']);
  });

  test('without a unique property: by order, when every input is accounted for', () => {
    const inputs = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
    expect(creates(inputs, [result('1'), result('3')], [refused('1')])).toEqual(['1', 'rejected', '3']);
  });

  test('counts do not add up: no guess by order', () => {
    expect(creates([{ name: 'a' }, { name: 'b' }], [result('1')])).toEqual(['unknown', 'unknown']);
    expect(creates([contact('a@x'), { name: 'b' }, { name: 'c' }], [result('1', 'a@x'), result('2')])).toEqual([
      '1',
      'unknown',
      'unknown',
    ]);
  });

  test('an error without context leaves its record in doubt, never another a success', () => {
    const inputs = [contact('a@x'), contact('b@x')];
    expect(creates(inputs, [result('2', 'b@x')], [refused(undefined)])).toEqual(['unknown', '2']);
  });

  test('only the error distinguishes equal emails', () => {
    const twins = [contact('a@x'), contact('a@x')];
    expect(creates(twins, [result('1', 'a@x')], [refused('1', 'CONFLICT')])).toEqual(['1', 'conflict']);
    expect(creates(twins, [result('1', 'a@x')])).toEqual(['unknown', 'unknown']);
  });

  test("a stranger's email spoils the order", () => {
    expect(creates([contact('a@x'), contact('b@x')], [result('1', 'z@x'), result('2', 'y@x')])).toEqual([
      'unknown',
      'unknown',
    ]);
  });

  test('results without email go by order', () => {
    expect(creates([contact('a@x'), contact('b@x')], [result('1'), result('2')])).toEqual(['1', '2']);
  });

  test('both lists empty, no lists, rubbish', () => {
    expect(creates([contact('a@x')], [])).toEqual(['unknown']);
    expect(matchCreates([contact('a@x')], readBatch({}), options).map(summaryOf)).toEqual(['unknown']);
    const rubbish = readBatch({
      results: [null, 5, { id: '' }, { id: {} }],
      errors: ['no', { context: 7 }],
      numErrors: 'x',
    });
    expect(matchCreates([contact('a@x')], rubbish, options).map(summaryOf)).toEqual(['unknown']);
  });

  test('more results than inputs, or one id twice', () => {
    expect(creates([{ name: 'a' }], [result('1'), result('2')])).toEqual(['unknown']);
    expect(creates([{ name: 'a' }, { name: 'b' }], [result('1'), result('1')])).toEqual(['unknown', 'unknown']);
  });

  test('a trace id of no input is passed over', () => {
    expect(
      creates([contact('a@x')], [result('1', 'a@x', { objectWriteTraceId: '7' })], [refused('99'), refused('x')]),
    ).toEqual(['1']);
  });

  test('a record with a result and an error was created, with a warning', () => {
    expect(creates([contact('a@x')], [result('1', 'a@x', { objectWriteTraceId: '0' })], [refused('0')])).toEqual([
      '1 !',
    ]);
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
  test('results by id in any order, errors by context.ids', () => {
    const missing = { category: 'OBJECT_NOT_FOUND', message: 'gone', context: { ids: ['2'] } };
    expect(updates(['1', '2', '3'], [result('3'), result('1')], [missing])).toEqual(['1', 'not-found', '3']);
  });

  test('one error may name several records', () => {
    const missing = { category: 'OBJECT_NOT_FOUND', message: 'gone', context: { ids: ['1', '2', '77'] } };
    expect(updates(['1', '2'], [], [missing])).toEqual(['not-found', 'not-found']);
  });

  test('errors by trace id', () => {
    expect(updates(['1', '2'], [result('1')], [refused('1')])).toEqual(['1', 'rejected']);
  });

  test('left out of the reply: failed, never a success', () => {
    expect(updates(['1', '2'], [result('1')])).toEqual(['1', 'rejected']);
    expect(updates(['1'], [])).toEqual(['rejected']);
  });

  test('left out of a reply that is not complete: may be applied', () => {
    expect(updates(['1'], [], [], { status: 'PENDING' })).toEqual(['unknown']);
  });

  test('a merged record by its echo', () => {
    expect(updates(['1', '2'], [result('9', undefined, { objectWriteTraceId: '0' }), result('2')])).toEqual([
      '9 !',
      '2',
    ]);
  });

  test('a merged record by what was sent', () => {
    const merged = { id: '9', properties: { firstname: 'NEW 1' } };
    expect(updates(['1', '2'], [merged, result('2')])).toEqual(['9 !', '2']);
    expect(updates(['1', '2'], [{ ...merged, properties: { firstname: 'else' } }, result('2')])).toEqual([
      'rejected',
      '2',
    ]);
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
