import { failedOutcome, type Failing } from '../../test/failed-outcome';
import { propertiesOf, type Signal, wireSignal } from '../failure-table';
import { classify, type FailedCall, isSuccess, itemFailure } from './call-salesforce';
import { readErrors } from './wire';

const now = Date.parse('2026-11-20T12:00:00Z');
const refused = (errorCode: string, message = 'said', rest: object = {}) => [
  { message, errorCode, fields: [], ...rest },
];

const item = (statusCode: string, message = 'said', fields: string[] = []) =>
  readErrors([{ statusCode, message, fields }]);

interface Case extends Failing {
  readonly on?: Signal['on'];
  readonly isBatch?: boolean;
  readonly isResend?: boolean;
  readonly isIdentity?: boolean;
  readonly isEmpty?: boolean;
}

function failed({ on = 'create', isBatch, isResend, isIdentity, isEmpty, ...failing }: Case): FailedCall {
  const outcome = failedOutcome(failing);
  const is = propertiesOf({
    json: failing.json !== undefined,
    batch: isBatch === true,
    resend: isResend === true,
    identity: isIdentity === true,
    empty: isEmpty === true,
  });
  return { signal: { on, ...wireSignal(outcome), is }, outcome, token: 'secret-token', now };
}

const update = { on: 'update' } as const;
const remove = { on: 'delete' } as const;
const read = { on: 'read' } as const;
const identity = { on: 'read', isIdentity: true } as const;
const locked =
  'ContactTrigger: execution of AfterInsert caused by: UNABLE_TO_LOCK_ROW, unable to obtain exclusive access';

// What each status and each code comes to, docs/providers/salesforce.md shows row by row, and a test compares: here is how a reply finds its row.
describe('a failed call', () => {
  test.each<[string, Case, unknown, string]>([
    ['reset after send, as every provider', { fault: 'broken' }, undefined, 'unknown'],
    ['truncated body of a 400: the status is enough', { fault: 'broken', status: 400 }, undefined, 'rejected'],
    ['200 HTML', { status: 200 }, undefined, 'unknown'],
    ['503 SERVER_UNAVAILABLE', { status: 503 }, refused('SERVER_UNAVAILABLE'), 'unavailable'],
    ['503 HTML', { status: 503 }, undefined, 'unknown'],
    ['401 empty', { status: 401 }, undefined, 'credentials'],
    ['403 other JSON', { status: 403 }, refused('SOMETHING_NEW'), 'forbidden'],
    ['403 HTML', { status: 403 }, undefined, 'unavailable'],
    ['400 UNABLE_TO_LOCK_ROW', { status: 400 }, refused('UNABLE_TO_LOCK_ROW'), 'unavailable'],
    [
      '400 trigger failed on a lock',
      { status: 400 },
      refused('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', locked),
      'unavailable',
    ],
    [
      '400 trigger failed',
      { status: 400 },
      refused('CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', 'NullPointerException'),
      'rejected',
    ],
    ['400 OPERATION_TOO_LARGE on read', { status: 400, ...read }, refused('OPERATION_TOO_LARGE'), 'unavailable'],
    ['400 OPERATION_TOO_LARGE on write', { status: 400 }, refused('OPERATION_TOO_LARGE'), 'rejected'],
    ['404 ENTITY_IS_DELETED on delete', { status: 404, ...remove }, refused('ENTITY_IS_DELETED'), 'not-found'],
    ['404 on update', { status: 404, ...update }, refused('NOT_FOUND'), 'not-found'],
    ['404 empty on update', { status: 404, isEmpty: true, ...update }, undefined, 'not-found'],
    ['404 on update, a page', { status: 404, ...update }, undefined, 'unavailable'],
    ['404 on create: the object', { status: 404 }, refused('NOT_FOUND'), 'rejected'],
    ['404 on batch update: the path', { status: 404, isBatch: true, ...update }, refused('NOT_FOUND'), 'rejected'],
    ['404 on read', { status: 404, ...read }, refused('NOT_FOUND'), 'rejected'],
    ['300', { status: 300 }, undefined, 'unknown'],
  ])('%s', (_, signal, json, expected) => {
    expect(classify(failed({ ...signal, json })).class).toBe(expected);
  });

  test('userinfo 403 with the word for a bad token, which is no JSON', () => {
    expect(classify(failed({ status: 403, ...identity, text: 'Bad_OAuth_Token' })).class).toBe('credentials');
    expect(classify(failed({ status: 403, ...identity, text: '<html>blocked</html>' })).class).toBe('unavailable');
    expect(classify(failed({ status: 403, text: 'Bad_OAuth_Token' })).class).toBe('unavailable');
  });

  test('a read is never of unknown outcome', () => {
    expect(classify(failed({ status: 502, ...read })).class).toBe('unavailable');
    expect(classify(failed({ fault: 'broken', ...identity })).class).toBe('unavailable');
    expect(classify(failed({ fault: 'timeout', ...read })).class).toBe('timeout');
  });

  test('of several errors the one that will not go away decides', () => {
    const json = [...refused('UNABLE_TO_LOCK_ROW'), ...refused('REQUIRED_FIELD_MISSING')];
    expect(classify(failed({ status: 400, json })).class).toBe('rejected');
  });
});

describe('success', () => {
  const gone = refused('ENTITY_IS_DELETED');
  test.each<[string, Case, unknown, boolean]>([
    ['201 with JSON', { status: 201 }, { success: true }, true],
    ['200 with a list', { status: 200, isBatch: true }, [], true],
    ['204', { status: 204, isEmpty: true, ...update }, undefined, true],
    ['200 with a page', { status: 200 }, undefined, false],
    ['200 that broke off', { status: 200, fault: 'broken' }, undefined, false],
    ['404 of a delete', { status: 404, ...remove }, gone, false],
    ['404 of a delete that may have been done', { status: 404, ...remove, isResend: true }, gone, true],
    ['an empty 404 of such a delete', { status: 404, isEmpty: true, ...remove, isResend: true }, undefined, true],
    ['a page of 404 of such a delete', { status: 404, ...remove, isResend: true }, undefined, false],
    ['404 of such an update', { status: 404, ...update, isResend: true }, gone, false],
    ['300', { status: 300 }, ['/a', '/b'], false],
  ])('%s', (_, signal, json, expected) => {
    expect(isSuccess(failed({ ...signal, json }).signal, json)).toBe(expected);
  });
});

describe('wait and scope', () => {
  test.each<[string, Case, Case, (number | string | undefined)[]]>([
    [
      'daily',
      { status: 403 },
      { json: refused('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.') },
      [900_000, 'lane'],
    ],
    [
      'concurrent',
      { status: 403 },
      { json: refused('REQUEST_LIMIT_EXCEEDED', 'ConcurrentRequests (Concurrent API Requests) Limit exceeded.') },
      [10_000, 'lane'],
    ],
    ['429, Retry-After', { status: 429 }, { headers: { 'retry-after': '60' } }, [60_000, 'lane']],
    ['503, Retry-After', { status: 503 }, { headers: { 'retry-after': '3' } }, [3_000, 'call']],
    ['lock', { status: 400 }, { json: refused('UNABLE_TO_LOCK_ROW') }, [undefined, 'call']],
    ['400 single', { status: 400 }, {}, [undefined, 'record']],
    ['400 batch: the cause may be any record', { status: 400, isBatch: true }, {}, [undefined, 'call']],
    ['401', { status: 401 }, {}, [undefined, 'call']],
  ])('%s', (_, signal, rest, expected) => {
    const failure = classify(failed({ ...signal, ...rest }));
    expect([failure.retryAfterMs, failure.scope]).toEqual(expected);
  });
});

describe('an error of one record in a 2xx', () => {
  test.each<[string, string, string, string]>([
    ['REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', 'rejected', 'rejected'],
    ['UNABLE_TO_LOCK_ROW', 'x', 'unavailable', 'unavailable'],
    ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', locked, 'unavailable', 'unavailable'],
    ['DUPLICATE_VALUE', 'x', 'conflict', 'conflict'],
    ['ENTITY_IS_DELETED', 'entity is deleted', 'rejected', 'not-found'],
    ['NOT_FOUND', 'x', 'rejected', 'not-found'],
    ['INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', 'rejected', 'not-found'],
    ['INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY', 'x', 'forbidden', 'forbidden'],
    ['UNKNOWN_EXCEPTION', 'x', 'unknown', 'unknown'],
    ['SOMETHING_NEW', 'x', 'rejected', 'rejected'],
  ])('%s', (code, message, onCreate, onUpdate) => {
    expect(itemFailure(item(code, message), 'create', '').class).toBe(onCreate);
    expect(itemFailure(item(code, message), 'update', '').class).toBe(onUpdate);
  });

  test('a reference to nobody is not the record itself', () => {
    const errors = item('INVALID_CROSS_REFERENCE_KEY', 'invalid cross reference id', ['AccountId']);
    expect(itemFailure(errors, 'update', '')).toMatchObject({
      class: 'rejected',
      message: 'INVALID_CROSS_REFERENCE_KEY: invalid cross reference id (fields: AccountId)',
    });
  });

  test('a limit inside a 2xx speaks of the account', () => {
    expect(itemFailure(item('REQUEST_LIMIT_EXCEEDED', 'TotalRequests'), 'create', '')).toMatchObject({
      class: 'quota',
      scope: 'lane',
      retryAfterMs: 900_000,
    });
  });

  test('success:false without an error', () => {
    expect(itemFailure([], 'create', '')).toMatchObject({ class: 'rejected', scope: 'record' });
  });
});

// What a form shows beside its fields.
describe('problems', () => {
  test('one for each field that an error names', () => {
    const text = 'Required fields are missing: [LastName, Company]';
    const errors = item('REQUIRED_FIELD_MISSING', text, ['LastName', 'Company']);
    const missing = (providerField: string) => ({ providerField, code: 'REQUIRED_FIELD_MISSING', message: text });
    expect(itemFailure(errors, 'create', '').problems).toEqual([missing('LastName'), missing('Company')]);
    const json = refused('REQUIRED_FIELD_MISSING', text, { fields: ['LastName', 'Company'] });
    expect(classify(failed({ status: 400, json })).problems).toEqual([missing('LastName'), missing('Company')]);
  });

  // The sentences: docs/contributing/providers.md, B7.
  test.each([
    ['INVALID_FIELD', "No such column 'Shoe__c' on sobject of type Contact", 'Shoe__c'],
    ['DUPLICATE_VALUE', 'duplicate value found: Ext__c duplicates value on record with id: 003ak00000AbCdE', 'Ext__c'],
  ])('the field that the sentence of %s names', (code, message, providerField) => {
    expect(itemFailure(item(code, message), 'create', '').problems).toEqual([{ providerField, code, message }]);
  });

  test('without a field: one, with the code and the sentence', () => {
    const problem = { code: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message: 'Closed deals stay.' };
    expect(itemFailure(item(problem.code, problem.message), 'update', '').problems).toEqual([problem]);
  });
});

describe('the message of a failure', () => {
  const id = '003ak00000AbCdEAAV';
  const matches = (...ids: string[]) => ({
    duplicateResult: { matchResults: [{ matchRecords: ids.map((each) => ({ record: { Id: each } })) }] },
  });
  const existing = (json: unknown, signal: Case = {}) => classify(failed({ status: 400, ...signal, json })).existingId;

  test('the one record that a duplicate names', () => {
    const value = refused('DUPLICATE_VALUE', `duplicate value found: Ext__c duplicates value on record with id: ${id}`);
    expect(existing(value)).toBe(id);
    expect(existing(refused('DUPLICATES_DETECTED', 'Use one of these records?', matches(id)))).toBe(id);
    expect(
      existing(refused('DUPLICATES_DETECTED', 'Use one of these records?', matches(id, '003ak00000AbCdFAAV'))),
    ).toBeUndefined();
    expect(existing(refused('DUPLICATES_DETECTED', 'Use one of these records?', matches('../x')))).toBeUndefined();
    expect(existing(value, { isBatch: true })).toBeUndefined();
  });

  test('fields that the message does not name', () => {
    const named = refused('REQUIRED_FIELD_MISSING', 'Required fields are missing: [LastName]', {
      fields: ['LastName'],
    });
    const unnamed = refused('STRING_TOO_LONG', 'Last Name: data value too large', { fields: ['LastName'] });
    expect(classify(failed({ status: 400, json: [...named, ...unnamed] })).message).toBe(
      'REQUIRED_FIELD_MISSING: Required fields are missing: [LastName]; ' +
        'STRING_TOO_LONG: Last Name: data value too large (fields: LastName)',
    );
  });

  test('[sec-23] no HTML, no token, no more than 2 KB', () => {
    expect(classify(failed({ status: 502, text: '<html><b>Down</b></html>' })).message).toBe(
      'Salesforce answered 502 without a message',
    );
    const { message } = classify(
      failed({ status: 400, json: refused('X', `echo secret-token\n${'é'.repeat(4_000)}`) }),
    );
    expect(message).toMatch(/^X: echo \[secret\] é/);
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(2_048);
  });
});

// Salesforce REST guide, sObject Collections: 400 when the request is not well formed, 200 for whatever is. So nothing of a 400 was written.
describe('a collection that is refused whole', () => {
  const whole = (json: unknown, signal: Case = {}) => {
    const { mayBeOneRecord, refusedFields } = classify(failed({ status: 400, isBatch: true, ...signal, json }));
    return { mayBeOneRecord, refusedFields };
  };
  const value = refused('JSON_PARSER_ERROR', 'Cannot deserialize instance of date from VALUE_STRING value soon');
  const column = refused('INVALID_FIELD', "No such column 'Nosuch__c' on sobject of type Contact");
  const noRecord = { mayBeOneRecord: undefined, refusedFields: undefined };

  it("may be one record's fault when its values could not be read", () => {
    expect(whole(value)).toEqual({ mayBeOneRecord: true, refusedFields: [] });
    expect(whole(value, update)).toEqual({ mayBeOneRecord: true, refusedFields: [] });
    expect(whole(column)).toEqual({ mayBeOneRecord: true, refusedFields: ['Nosuch__c'] });
  });

  it('is too large where it says so, whichever code is around it', () => {
    const size = { class: 'unavailable', mayBeOneRecord: true, isOfSize: true };
    for (const text of [
      'npsp:Too many query rows: 50001',
      'AccountTrigger: System.LimitException: Too many future calls: 51',
    ])
      expect(classify(failed({ status: 400, isBatch: true, json: refused('APEX_ERROR', text) }))).toMatchObject(size);
    const tooLarge = classify(failed({ status: 413, isBatch: true }));
    expect(tooLarge).toMatchObject({ class: 'rejected', mayBeOneRecord: true, isOfSize: true });
  });

  it.each<[string, unknown, Case]>([
    ['a missing permission', refused('INSUFFICIENT_ACCESS_OR_READONLY'), { status: 403 }],
    ['quota', refused('REQUEST_LIMIT_EXCEEDED'), { status: 403 }],
    ['an unknown object', refused('INVALID_TYPE'), {}],
    ['an empty list', refused('REQUIRED_FIELD_MISSING', 'At least 1 record is required'), {}],
    ['a value beside a fault of the call', [...value, ...refused('EXCEEDED_ID_LIMIT')], {}],
    ['a locked row', refused('UNABLE_TO_LOCK_ROW'), {}],
    ['a 400 without errors', undefined, {}],
    ['another status', value, { status: 500 }],
    ['a read', column, read],
    ['a single record', value, { isBatch: false }],
  ])('%s is no single record of many', (_, json, signal) => expect(whole(json, signal)).toEqual(noRecord));
});
