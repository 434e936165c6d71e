import { ProviderError } from '@sluice/errors';
import { failedOutcome, type Failing } from '../../test/failed-outcome';
import { decide, propertiesOf, type Signal, wireSignal } from '../failure-table';
import { toFailure, toProviderError } from '../provider-call';
import type { ProviderFailure } from '../results';
import { classify, type FailedCall, itemFailure, refusedFieldsOf } from './call-hubspot';
import { callTable } from './failure-tables';

const now = Date.parse('2026-11-20T12:00:00Z');

interface Case extends Failing {
  readonly on?: Signal['on'];
  readonly isKeyed?: boolean;
}

function signalOf({ on = 'create', isKeyed = true, ...failing }: Case): Signal {
  const json = failing.json !== undefined;
  return { on, ...wireSignal(failedOutcome(failing)), is: propertiesOf({ keyed: isKeyed, json }) };
}

function failed(call: Case, rest: Partial<FailedCall> = {}): FailedCall {
  const outcome = failedOutcome(call);
  return { signal: signalOf(call), outcome, isBatch: false, isSearch: false, token: 'secret-token', now, ...rest };
}

const body = (category: string | undefined, message = 'said') => ({
  status: 'error',
  message,
  category,
  correlationId: 'c-1',
});

/** A create of these can be repeated at HubSpot. */
const unkeyed = { on: 'create', isKeyed: false } as const;
const update = { on: 'update', isKeyed: false } as const;
const remove = { on: 'delete', isKeyed: false } as const;
const read = { on: 'read', isKeyed: false } as const;

// What each status and each code comes to, docs/providers/hubspot.md shows row by row, and a test compares: here is how a reply finds its row.
describe('a failed call', () => {
  test.each<[string, Case, unknown, string]>([
    ['refused, DNS, TLS, connect timeout', { fault: 'not-sent' }, undefined, 'unavailable'],
    ['reset after send', { fault: 'broken' }, undefined, 'unknown'],
    ['timeout after send', { fault: 'timeout' }, undefined, 'timeout'],
    ['cancelled after send', { fault: 'aborted' }, undefined, 'unknown'],
    ['truncated body of a 201', { fault: 'broken', status: 201 }, undefined, 'unknown'],
    ['slow body of a 201', { fault: 'timeout', status: 201 }, undefined, 'timeout'],
    ['too large a 200', { fault: 'too-large', status: 200 }, undefined, 'unknown'],
    ['truncated body of a 400: the status is enough', { fault: 'broken', status: 400 }, undefined, 'rejected'],
    ['200 HTML', { status: 200 }, undefined, 'unknown'],
    ['400', { status: 400 }, body('VALIDATION_ERROR'), 'rejected'],
    ['403 HTML', { status: 403 }, undefined, 'unavailable'],
    ['403 JSON', { status: 403 }, body('MISSING_SCOPES'), 'forbidden'],
    ['404 on update', { status: 404, ...update }, body(undefined), 'not-found'],
    ['404 on delete, a page', { status: 404, ...remove }, undefined, 'unavailable'],
    ['502 delete', { status: 502, ...remove }, undefined, 'unknown'],
    ['503 delete', { status: 503, ...remove }, undefined, 'unavailable'],
    ['404 on create', { status: 404 }, body(undefined), 'rejected'],
    ['404 on read', { status: 404, ...read }, body(undefined), 'rejected'],
    ['404 on read, a page', { status: 404, ...read }, undefined, 'unavailable'],
    ['503 keyed create', { status: 503 }, undefined, 'unavailable'],
    ['599', { status: 599 }, undefined, 'unknown'],
  ])('%s', (_, signal, json, expected) => {
    expect(classify(failed({ ...signal, json })).class).toBe(expected);
  });

  // Who names a moment may still have begun: a 503 can come after the commit, and a second send would be a second record.
  test.each([500, 502, 503, 504, 520, 521, 522, 523, 524])(
    'a create without unique property that met %d is looked for, Retry-After or not, and not before it',
    (status) => {
      expect(classify(failed({ status, ...unkeyed })).class).toBe('unknown');
      const failure = classify(failed({ status, ...unkeyed, headers: { 'retry-after': '7' } }));
      expect(failure).toMatchObject({ class: 'unknown', retryAfterMs: 7_000 });
    },
  );

  test('a read is never of unknown outcome', () => {
    expect(classify(failed({ status: 502, ...read })).class).toBe('unavailable');
    expect(classify(failed({ fault: 'broken', ...read })).class).toBe('unavailable');
    expect(classify(failed({ fault: 'timeout', ...read })).class).toBe('timeout');
  });

  // What another record has is a conflict, also where HubSpot calls it a mistake of the request.
  test.each<[string, object[], string]>([
    ['a value that is taken', [{ error: 'CONFLICTING_UNIQUE_VALUE', name: 'code' }], 'conflict'],
    ['one beside a mistake', [{ error: 'CONFLICTING_UNIQUE_VALUE' }, { error: 'INVALID_DATE' }], 'rejected'],
    ['no list', [], 'rejected'],
  ])('400 with %s', (_, problems, expected) => {
    const json = body('VALIDATION_ERROR', `Property values were not valid: ${JSON.stringify(problems)}`);
    expect(classify(failed({ status: 400, json })).class).toBe(expected);
    expect(itemFailure({ category: 'VALIDATION_ERROR', message: json.message, context: {} }, 'create', '').class).toBe(
      expected,
    );
  });
});

describe('success', () => {
  const succeeds = (call: Case, isJson: boolean) =>
    decide(callTable, signalOf({ ...call, ...(isJson && { json: {} }) })).class === 'ok';
  test.each<[string, Case, boolean, boolean]>([
    ['201 with JSON', { status: 201 }, true, true],
    ['207 with JSON', { status: 207 }, true, true],
    ['another 2xx with JSON', { status: 299 }, true, true],
    ['200 with a page', { status: 200 }, false, false],
    ['204 of a create', { status: 204 }, false, false],
    ['201 that broke off', { status: 201, fault: 'broken' }, true, false],
    ['204 of a delete', { status: 204, ...remove }, false, true],
    ['404 of a delete, with JSON', { status: 404, ...remove }, true, true],
    ['404 of a delete, a page', { status: 404, ...remove }, false, false],
    ['404 of an update', { status: 404, ...update }, true, false],
    ['302', { status: 302 }, true, false],
  ])('%s', (_, signal, isJson, expected) => {
    expect(succeeds(signal, isJson)).toBe(expected);
  });
});

test('whatever comes has a class: the last row takes it', () => {
  expect(callTable.at(-1)).toMatchObject({ class: 'unknown' });
  expect(decide(callTable, { on: 'token', status: 799, is: [] })).toBe(callTable.at(-1));
});

// By what the reply says, whichever call met it: the account's own limits stop searches too, and search's stops nothing else.
describe('what a 429 stops', () => {
  const limit = (policyName: string, groupName?: string) => ({
    message: 'x',
    policyName,
    ...(groupName && { groupName }),
  });
  test.each<[string, boolean, object, ProviderFailure['scope']]>([
    ['SECONDLY of a search', true, limit('SECONDLY'), 'search'],
    ['SECONDLY of the group of search', false, limit('SECONDLY', 'publicapi:crm:search'), 'search'],
    ['the same by its text', true, { message: 'You have reached your secondly limit.' }, 'search'],
    ['SECONDLY of another call', false, limit('SECONDLY'), 'lane'],
    ['TEN_SECONDLY_ROLLING of a search', true, limit('TEN_SECONDLY_ROLLING'), 'lane'],
    ['DAILY of a search', true, limit('DAILY'), 'lane'],
    ['no policy', true, { message: 'x' }, 'lane'],
  ])('%s', (_, isSearch, json, scope) => {
    expect(classify(failed({ status: 429, json, on: 'read' }, { isSearch })).scope).toBe(scope);
  });
});

describe('the wait', () => {
  const limit = (message: string, policyName?: string) => ({
    status: 'error',
    message,
    errorType: 'RATE_LIMIT',
    policyName,
  });
  test.each<[string, Case, Case, number | undefined]>([
    ['ten seconds', { status: 429 }, { json: limit('x', 'TEN_SECONDLY_ROLLING') }, 10_000],
    ['one second', { status: 429 }, { json: limit('x', 'SECONDLY') }, 1_000],
    ['daily', { status: 429 }, { json: limit('x', 'DAILY') }, 900_000],
    [
      'ten seconds by text',
      { status: 429 },
      { json: limit('You have reached your ten_secondly_rolling limit.') },
      10_000,
    ],
    ['one second by text', { status: 429 }, { json: limit('You have reached your secondly limit.') }, 1_000],
    ['daily by header', { status: 429 }, { headers: { 'x-hubspot-ratelimit-daily-remaining': '0' } }, 900_000],
    ['429 HTML', { status: 429 }, {}, 10_000],
    ['429 Retry-After', { status: 429 }, { headers: { 'retry-after': '7' }, json: limit('x', 'DAILY') }, 7_000],
    ['423 longer', { status: 423 }, { headers: { 'retry-after': '5' } }, 5_000],
    ['477', { status: 477 }, { headers: { 'retry-after': '86400' } }, 86_400_000],
    ['503 Retry-After', { status: 503 }, { headers: { 'retry-after': '3' } }, 3_000],
    ['503', { status: 503 }, {}, undefined],
  ])('%s', (_, signal, rest, expected) => {
    expect(classify(failed({ ...signal, ...rest })).retryAfterMs).toBe(expected);
  });
});

describe('scope', () => {
  test.each<[string, Case, boolean, string]>([
    ['429', { status: 429 }, false, 'lane'],
    ['477', { status: 477 }, true, 'lane'],
    ['400 single', { status: 400 }, false, 'record'],
    ['400 batch: the cause may be any record', { status: 400 }, true, 'call'],
    ['401', { status: 401 }, false, 'call'],
    ['503', { status: 503 }, false, 'call'],
  ])('%s', (_, signal, isBatch, expected) => {
    expect(classify(failed(signal, { isBatch })).scope).toBe(expected);
  });
});

describe('the message of a failure', () => {
  test('the existing record of a single conflict', () => {
    const json = body('CONFLICT', 'Contact already exists. Existing ID: 171591000198');
    expect(classify(failed({ status: 409, json }))).toMatchObject({
      existingId: '171591000198',
      providerRequestId: 'c-1',
      status: 409,
    });
  });

  test('a batch conflict names no record: it is not known whose it is', () => {
    const json = body('CONFLICT', 'Contact already exists. Existing ID: 171591000198');
    expect(classify(failed({ status: 409, json }, { isBatch: true })).existingId).toBeUndefined();
  });

  test('missing scopes, wherever they stand', () => {
    const inErrors = {
      ...body('MISSING_SCOPES', 'no'),
      errors: [{ context: { requiredGranularScopes: ['crm.a', 'crm.b'] } }],
    };
    expect(classify(failed({ status: 403, json: inErrors })).message).toBe('no (missing scopes: crm.a, crm.b)');
    const onTop = { ...body('MISSING_SCOPES', 'no'), context: { requiredGranularScopes: ['crm.c'] } };
    expect(classify(failed({ status: 403, json: onTop })).message).toBe('no (missing scopes: crm.c)');
  });

  test('the causes, where the message is a general one; not those of a batch', () => {
    const causes = [{ message: "Property 'shoe' does not exist" }, { message: 'Other.' }, { message: 'Other.' }, {}];
    const json = { ...body('VALIDATION_ERROR', 'There was a problem.'), errors: causes };
    const said = (of: object, isBatch = false) => classify(failed({ status: 400, json: of }, { isBatch })).message;
    expect(said(json)).toBe("There was a problem. Property 'shoe' does not exist Other.");
    expect(said(json, true)).toBe('There was a problem.');
    const many = { ...json, errors: [1, 2, 3, 4, 5, 6].map((at) => ({ message: `No ${at}.` })) };
    expect(said(many)).toBe('There was a problem. No 1. No 2. No 3. No 4. No 5.');
    const reworded = { ...json, message: "Property 'shoe' does not exist, Other." };
    expect(said(reworded)).toBe("Property 'shoe' does not exist, Other.");
  });

  test('why there was no reply', () => {
    expect(classify(failed({ fault: 'not-sent', reason: 'ECONNREFUSED' })).message).toBe(
      'HubSpot could not be reached: ECONNREFUSED',
    );
    expect(classify(failed({ fault: 'broken', reason: 'UND_ERR_SOCKET' })).message).toBe(
      'HubSpot sent no reply: UND_ERR_SOCKET',
    );
    expect(classify(failed({ fault: 'broken', status: 201 })).message).toBe(
      'HubSpot answered 201 with a reply that is broken',
    );
  });
});

describe('an error of one record in a 2xx', () => {
  test.each<[string | undefined, string, string, string]>([
    ['CONFLICT', 'x', 'conflict', 'conflict'],
    ['OBJECT_ALREADY_EXISTS', 'x', 'conflict', 'conflict'],
    ['VALIDATION_ERROR', 'x', 'rejected', 'rejected'],
    ['OBJECT_NOT_FOUND', 'x', 'rejected', 'not-found'],
    ['MISSING_SCOPES', 'x', 'forbidden', 'forbidden'],
    ['RATE_LIMITS', 'x', 'unknown', 'unknown'],
    ['INTERNAL_ERROR', 'x', 'unknown', 'unknown'],
    ['SOMETHING_NEW', 'Internal error, try again', 'unknown', 'unknown'],
    ['SOMETHING_NEW', 'the value is odd', 'rejected', 'rejected'],
    [undefined, 'the value is odd', 'rejected', 'rejected'],
  ])('%s %s', (category, message, onCreate, onUpdate) => {
    const error = { category, message, context: {} };
    expect(itemFailure(error, 'create', '').class).toBe(onCreate);
    expect(itemFailure(error, 'update', '').class).toBe(onUpdate);
  });

  test('names the existing record', () => {
    const byContext = { category: 'CONFLICT', message: 'Contact already exists', context: { existingId: ['55'] } };
    expect(itemFailure(byContext, 'create', '').existingId).toBe('55');
    const byText = { category: 'CONFLICT', message: 'Contact already exists. Existing ID: 56', context: {} };
    expect(itemFailure(byText, 'create', '').existingId).toBe('56');
  });
});

test('a failure survives being thrown by a read', () => {
  const failure = classify(failed({ status: 429, ...read, json: body(undefined), headers: { 'retry-after': '2' } }));
  const error = toProviderError(failure, 'hubspot');
  expect(error).toBeInstanceOf(ProviderError);
  expect(error).toMatchObject({
    code: 'provider.quota-exhausted',
    retry: 'backoff',
    retryAfterMs: 2_000,
    detail: 'said',
  });
  expect(toFailure(error)).toEqual(failure);
});

// One question to each refusal of a batch: certainly nothing was written, and one record or their number may be why?
describe('a batch that is refused whole', () => {
  const problems = {
    ...body('VALIDATION_ERROR', 'Property values were not valid: [{"error":"CONFLICTING_UNIQUE_VALUE"}]'),
  };
  const lacking = (...requiredGranularScopes: string[]) => ({
    ...body('MISSING_SCOPES'),
    errors: [{ context: { requiredGranularScopes } }],
  });
  const tooMany = 'The maximum number of inputs supported in a batch request for property histories is 50.';
  test.each<[string, Case, object | undefined, object]>([
    [
      'a value that another record has',
      { status: 409 },
      body('CONFLICT', 'Existing ID: 512'),
      { mayBeOneRecord: true },
    ],
    ['the same of an update', { status: 409, ...update }, body('CONFLICT'), { mayBeOneRecord: true }],
    ['the same with 400', { status: 400 }, problems, { class: 'conflict', mayBeOneRecord: true }],
    ['a value that is not valid', { status: 400 }, body('VALIDATION_ERROR'), { mayBeOneRecord: true }],
    ['too large', { status: 413 }, undefined, { mayBeOneRecord: true, isOfSize: true }],
    ['too many', { status: 400 }, body('VALIDATION_ERROR', tooMany), { mayBeOneRecord: true, isOfSize: true }],
    [
      '429 for its size',
      { status: 429 },
      body(undefined, 'Batch size exceeds 10'),
      { class: 'rejected', isOfSize: true },
    ],
    ['sensitive values', { status: 403 }, lacking('crm.objects.contacts.sensitive.write.v2'), { mayBeOneRecord: true }],
  ])('%s: it is divided', (_, signal, json, expected) => {
    expect(classify(failed({ ...signal, json }, { isBatch: true }))).toMatchObject(expected);
    expect(classify(failed({ ...signal, json })).mayBeOneRecord).toBeUndefined();
  });

  test.each<[string, Case, object | undefined]>([
    ['an unknown object', { status: 400 }, body('VALIDATION_ERROR', 'Unable to infer object type from: nosuch')],
    [
      'a missing permission',
      { status: 403 },
      lacking('crm.objects.contacts.write', 'crm.objects.contacts.sensitive.write'),
    ],
    ['an unknown path', { status: 404 }, body('OBJECT_NOT_FOUND')],
    ['a bad token', { status: 401 }, body('EXPIRED_AUTHENTICATION')],
    ['quota', { status: 429 }, body('RATE_LIMITS', 'You have reached your ten_secondly_rolling limit.')],
    ['what may have been written', { status: 502 }, undefined],
    ['a read', { status: 400, ...read }, body('VALIDATION_ERROR')],
  ])('%s concerns every record: it is not', (_, signal, json) => {
    const { mayBeOneRecord, isOfSize } = classify(failed({ ...signal, json }, { isBatch: true }));
    expect([mayBeOneRecord, isOfSize]).toEqual([undefined, undefined]);
  });
});

// What a refused batch names as unknown or read-only.
const listed = (...problems: object[]) => ({
  message: `Property values were not valid: ${JSON.stringify(problems)}`,
});

test.each<[string, object, string[]]>([
  ['an unknown property', listed({ error: 'PROPERTY_DOESNT_EXIST', name: 'nosuch' }), ['nosuch']],
  ['a read-only one', listed({ error: 'READ_ONLY_VALUE', name: 'hs_object_id' }), ['hs_object_id']],
  ['each once', listed({ error: 'READ_ONLY_VALUE', name: 'a' }, { error: 'READ_ONLY_VALUE', name: 'a' }), ['a']],
  // Another record may carry a value that fits.
  ['a wrong value names no field', listed({ error: 'INVALID_OPTION', name: 'lifecyclestage' }), []],
  [
    'errors[]',
    { message: 'x', errors: [{ code: 'PROPERTY_DOESNT_EXIST', context: { propertyName: ['nosuch'] } }] },
    ['nosuch'],
  ],
  ['a text that is no list', { message: 'Property values were not valid: [oops' }, []],
  ['nothing', {}, []],
  ['odd members', { message: 7, errors: ['x', null, { code: 1, context: { propertyName: 'a' } }] }, []],
])('%s', (_case, refusal, expected) => expect(refusedFieldsOf(refusal as Record<string, unknown>)).toEqual(expected));

// What a form shows beside its fields.
describe('problems', () => {
  const invalid = {
    isValid: false,
    message: 'Email address zoe@ is invalid',
    error: 'INVALID_EMAIL',
    name: 'email',
    localizedErrorMessage: 'Email address zoe@ is invalid',
    portalId: 123,
  };
  const wrongOption = { message: 'x não é uma das opções: [a, b]', error: 'INVALID_OPTION', name: 'tags' };
  const email = { providerField: 'email', code: 'INVALID_EMAIL', message: 'Email address zoe@ is invalid' };
  // The form of the list: HubSpot's changelog of 2023-07, "Property Validations Rules will be enforced for APIs and Integrations". A sentence may hold
  // brackets, and be in the language of the account: community.hubspot.com, "contacts integration - invalid e-mails" (2023-08).
  const message = `Property values were not valid: ${JSON.stringify([invalid, wrongOption])}`;
  const tags = { providerField: 'tags', code: 'INVALID_OPTION', message: wrongOption.message };

  test('of each property in the list inside the message', () => {
    expect(classify(failed({ status: 400, json: body('VALIDATION_ERROR', message) })).problems).toEqual([email, tags]);
    const item = { category: 'VALIDATION_ERROR', message, context: {} };
    expect(itemFailure(item, 'create', '').problems).toEqual([email, tags]);
  });

  test('of errors[], and of the context of the error itself', () => {
    const noSuch = { code: 'PROPERTY_DOESNT_EXIST', message: 'No such.', context: { propertyName: ['shoe'] } };
    const shoe = { providerField: 'shoe', code: 'PROPERTY_DOESNT_EXIST', message: 'No such.' };
    const json = { ...body('VALIDATION_ERROR', 'There was a problem.'), errors: [noSuch, noSuch] };
    expect(classify(failed({ status: 400, json })).problems).toEqual([shoe]);
    const item = { category: 'VALIDATION_ERROR', message: 'No such.', context: { propertyName: ['shoe'] } };
    expect(itemFailure(item, 'update', '').problems).toEqual([{ ...shoe, code: 'VALIDATION_ERROR' }]);
    const nested = {
      ...body('VALIDATION_ERROR', 'There was a problem.'),
      errors: [{ message, context: { propertyName: 'email' } }],
    };
    expect(classify(failed({ status: 400, json: nested })).problems).toEqual([email, tags]);
  });

  test('without a field: one, with the code and the sentence', () => {
    const taken = body('CONFLICT', 'Contact already exists. Existing ID: 101');
    expect(classify(failed({ status: 409, json: taken })).problems).toEqual([
      { code: 'CONFLICT', message: 'Contact already exists. Existing ID: 101' },
    ]);
    expect(classify(failed({ status: 400, json: {} })).problems).toEqual([
      { message: 'HubSpot answered 400 without a message' },
    ]);
  });

  test('a value that the message quotes is no name of a field and no code', () => {
    const quoted = `zoe@x.com is wrong [{"name":"zoe@x.com","error":"zoe in Rome","message":"m"}]`;
    expect(classify(failed({ status: 400, json: body('VALIDATION_ERROR', quoted) })).problems).toEqual([
      { message: 'm' },
    ]);
  });

  test('a failure that may pass has none', () => {
    expect(classify(failed({ status: 429, json: body('RATE_LIMITS', 'Slow down.') })).problems).toBeUndefined();
  });

  test('are bounded in number and in bytes, and hold no token', () => {
    const token = 'secret-token-of-the-account';
    const many = Array.from({ length: 100 }, (_, at) => ({
      name: `f${at}`,
      error: 'X',
      message: `${token} ${'é'.repeat(2_000)}`,
    }));
    const json = body('VALIDATION_ERROR', `Property values were not valid: ${JSON.stringify(many)}`);
    const { problems = [] } = classify({ ...failed({ status: 400, json }), token });
    expect(problems.length).toBeGreaterThan(1);
    expect(Buffer.byteLength(JSON.stringify(problems))).toBeLessThanOrEqual(3_100);
    expect(JSON.stringify(problems)).not.toContain(token);
    for (const each of problems) expect(Buffer.byteLength(each.message)).toBeLessThanOrEqual(300);
    const short = Array.from({ length: 100 }, (_, at) => ({ name: `f${at}`, error: 'X' }));
    const shortBody = body('VALIDATION_ERROR', `Property values were not valid: ${JSON.stringify(short)}`);
    expect(classify(failed({ status: 400, json: shortBody })).problems).toHaveLength(20);
  });
});
