import { matchOutcomes, type MatchOptions } from './match-outcomes';

const ids = ['003ak00000000AAAAA', '003ak00000000BBAAA', '003ak00000000CCAAA'] as const;
const done = (id: string | undefined) => ({ ...(id !== undefined && { id }), success: true, errors: [] });
const refused = (statusCode: string, message = 'said') => ({
  success: false,
  errors: [{ statusCode, message, fields: [] }],
});
const rolled = {
  ...refused('ALL_OR_NONE_OPERATION_ROLLED_BACK', 'Record rolled back because not all records were valid'),
  id: ids[0],
};

function match(body: unknown, rest: Partial<MatchOptions> = {}) {
  const inputs = rest.inputs ?? (Array.isArray(body) ? body.map(() => undefined) : [undefined]);
  return matchOutcomes(body, { write: 'create', allOrNone: false, token: '', ...rest, inputs });
}
const summaryOf = (outcomes: ReturnType<typeof matchOutcomes>) =>
  outcomes.map((outcome) => (outcome.ok ? outcome.recordId : outcome.error.class));

describe('in part', () => {
  test('in request order, each for itself', () => {
    const body = [done(ids[0]), refused('REQUIRED_FIELD_MISSING'), done(ids[2]), refused('UNABLE_TO_LOCK_ROW')];
    expect(summaryOf(match(body))).toEqual([ids[0], 'rejected', ids[2], 'unavailable']);
  });

  test.each<[string, unknown]>([
    ['one too few', [done(ids[0])]],
    ['one too many', [done(ids[0]), done(ids[1]), done(ids[2])]],
    ['no list', { results: [] }],
    ['nothing', undefined],
  ])('%s: creates may be written, updates are failed', (_, body) => {
    expect(summaryOf(match(body, { inputs: [undefined, undefined] }))).toEqual(['unknown', 'unknown']);
    expect(summaryOf(match(body, { write: 'update', inputs: [ids[0], ids[1]] }))).toEqual(['rejected', 'rejected']);
  });

  test('a create without id, or without a word, may be written', () => {
    const outcomes = match([done(undefined), done('no id'), {}, null, 'x', { success: 'yes', id: ids[0] }]);
    expect(summaryOf(outcomes)).toEqual(Array.from({ length: 6 }, () => 'unknown'));
  });

  test('an update under its id, in either form; another id is no success', () => {
    const body = [done(ids[0]), done(undefined), done(ids[0])];
    const inputs = [ids[0].slice(0, 15), ids[1], ids[2]];
    expect(summaryOf(match(body, { write: 'update', inputs }))).toEqual([inputs[0], ids[1], 'rejected']);
  });

  test('halted for another record: shares its class', () => {
    expect(summaryOf(match([refused('PROCESSING_HALTED'), refused('INVALID_TYPE'), done(ids[2])]))).toEqual([
      'rejected',
      'rejected',
      ids[2],
    ]);
  });
});

// A trigger's exception ends the transaction of all records of a call, and each item of the list has its words.
describe('a list in which no record was written', () => {
  const marksOf = (body: unknown, rest: Partial<MatchOptions> = {}) =>
    match(body, rest).map((outcome) => (outcome.ok ? 'ok' : [outcome.error.mayBeOneRecord, outcome.error.isOfSize]));
  const thrown = refused('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'AccTrigger: System.NullPointerException');
  const limit = refused(
    'CANNOT_EXECUTE_FLOW_TRIGGER',
    'The flow failed: System.LimitException: Too many DML rows: 10001',
  );
  const [whole, sized, own] = [
    [true, undefined],
    [true, true],
    [undefined, undefined],
  ];

  test('may have failed for one record, or for their number', () => {
    expect(marksOf([thrown, thrown])).toEqual([whole, whole]);
    expect(marksOf([limit, limit], { write: 'update', inputs: [ids[0], ids[1]] })).toEqual([sized, sized]);
    expect(marksOf([refused('PROCESSING_HALTED'), refused('PROCESSING_HALTED')])).toEqual([whole, whole]);
    expect(summaryOf(match([limit, thrown]))).toEqual(['unavailable', 'rejected']);
  });

  test('a problem of a record is its own, also where all have the same one', () => {
    expect(marksOf([refused('REQUIRED_FIELD_MISSING'), limit, refused('REQUIRED_FIELD_MISSING')])).toEqual([
      own,
      sized,
      own,
    ]);
    expect(marksOf([refused('INSUFFICIENT_ACCESS_OR_READONLY')])).toEqual([own]);
  });

  test('what failed beside a record that was written has a reason of its own', () => {
    expect(marksOf([done(ids[0]), thrown, limit])).toEqual(['ok', own, own]);
  });
});

describe('all or none', () => {
  const whole = { allOrNone: true };

  test.each<[string, unknown[]]>([
    ['nothing of any record', [{}, {}]],
    ['no record', [null, null]],
    ['success without ids', [done(undefined), done(undefined)]],
    [
      'another word for success',
      [
        { success: 'yes', id: ids[0] },
        { success: 'yes', id: ids[1] },
      ],
    ],
  ])('a reply that says %s shows no roll-back: creates may be written', (_, body) => {
    expect(summaryOf(match(body, { ...whole, inputs: [undefined, undefined] }))).toEqual(['unknown', 'unknown']);
  });

  test('the innocent share the class of the cause, before and after it', () => {
    const outcomes = match([rolled, refused('REQUIRED_FIELD_MISSING', 'Required: [LastName]'), rolled], whole);
    expect(summaryOf(outcomes)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(outcomes[0]).toMatchObject({
      error: {
        message:
          'Rolled back, because another record of the batch failed: REQUIRED_FIELD_MISSING: Required: [LastName].',
      },
    });
  });

  test('a cause that passes: all go again', () => {
    expect(summaryOf(match([rolled, refused('UNABLE_TO_LOCK_ROW')], whole))).toEqual(['unavailable', 'unavailable']);
    expect(summaryOf(match([rolled, refused('UNKNOWN_EXCEPTION')], whole))).toEqual(['unavailable', 'unavailable']);
  });

  test('a cause that stays beside one that passes: none goes again alone', () => {
    const body = [refused('UNABLE_TO_LOCK_ROW'), rolled, refused('DUPLICATE_VALUE')];
    expect(summaryOf(match(body, whole))).toEqual(['conflict', 'conflict', 'conflict']);
  });

  test('no existing id: it may be a record that was rolled back', () => {
    const message = `duplicate value found: E__c duplicates value on record with id: ${ids[0]}`;
    for (const outcome of match([rolled, refused('DUPLICATE_VALUE', message)], whole)) {
      expect(outcome).toMatchObject({ ok: false, error: { class: 'conflict' } });
      expect(outcome).not.toHaveProperty('error.existingId');
    }
  });

  test('rolled back for no reason given', () => {
    expect(summaryOf(match([rolled, rolled], whole))).toEqual(['rejected', 'rejected']);
  });

  test('whole', () => {
    expect(summaryOf(match([done(ids[0]), done(ids[1])], whole))).toEqual([ids[0], ids[1]]);
  });
});
