import { connectorOf } from '../test/failing-connector';
import type { Failing } from '../test/failed-outcome';
import type { Connector } from './connector';

const auth = { accessToken: 'token-0001', workspaceRef: 'acme', metadata: { region: 'com' } };
const objects: Readonly<Record<string, string>> = {
  hubspot: 'contacts',
  salesforce: 'Account',
  close: 'lead',
  freshdesk: 'contacts',
  klaviyo: 'profiles',
  pipedrive: 'persons',
  zendeskSupport: 'users',
  zoho: 'Leads',
};
const recordIds: Readonly<Record<string, string>> = { salesforce: '001000000000001AAA' };

/** What one write of a record ends with when the provider answers this. */
async function refusalOf(provider: string, write: 'create' | 'update', failing: Failing) {
  const connector = connectorOf(provider, failing) as Required<Connector>;
  const kind = provider === 'freshdesk' ? ('apiKey' as const) : undefined;
  const of = { auth: { ...auth, ...(kind && { kind }) }, objectName: objects[provider] ?? '', fields: { Name: 'A' } };
  const result = await (write === 'create'
    ? connector.create(of)
    : connector.update({ ...of, recordId: recordIds[provider] ?? '1' }));
  if (result.ok) throw new Error('it did not fail');
  return result.error;
}

const flat = (text: string) => ({ message: text, error: text, description: text });
/** An error with this text, as each provider writes it. */
const forms: Readonly<Record<string, (text: string) => unknown>> = {
  hubspot: (message) => ({ status: 'error', category: 'CONFLICT', message }),
  salesforce: (message) => [{ errorCode: 'FIELD_CUSTOM_VALIDATION_EXCEPTION', message, fields: [] }],
  close: flat,
  freshdesk: (message) => ({ errors: [{ field: 'name', message, code: 'invalid_value' }] }),
  klaviyo: (detail) => ({ errors: [{ status: 409, code: 'conflict', title: 'Conflict', detail }] }),
  pipedrive: (error) => ({ success: false, error }),
  zendeskSupport: (description) => ({ error: 'SomethingElse', description }),
  zoho: (message) => ({ code: 'NOT_ALLOWED', message, details: {}, status: 'error' }),
};

describe.each(Object.entries(forms))('%s: a permanent status whose words pass', (provider, form) => {
  it.each([
    [409, 'Deadlock found when trying to get lock', undefined],
    [400, 'unable to obtain exclusive access to this record', undefined],
    [422, 'The record is being updated by another process', undefined],
    [403, 'Please try again later', 5],
    [409, 'The system is busy, please retry', 5],
    [409, 'lock timeout exceeded', undefined],
    [412, 'This record is being modified by another user', undefined],
    [400, 'The service is temporarily unavailable', 5],
    [403, 'API rate limit exceeded', 5],
  ])('%i %s', async (status, text, triesMax) => {
    for (const write of ['create', 'update'] as const) {
      const error = await refusalOf(provider, write, { status, json: form(text) });
      expect([error.class, error.triesMax]).toEqual(['unavailable', triesMax]);
      expect(error.message).toContain(text);
    }
  });

  it.each(['the value is not allowed', 'Fetch the latest data and try again', 'block, o’clock and clockwork'])(
    'not: %s',
    async (text) => {
      const { class: of } = await refusalOf(provider, 'update', { status: 409, json: form(text) });
      expect(['conflict', 'rejected', 'not-found']).toContain(of);
    },
  );
});

// A form that no dialect knows: the reason reaches the caller, and its words decide.
describe.each(Object.keys(forms))('%s: a refusal in another form', (provider) => {
  it.each<[string, Omit<Failing, 'status'>, string]>([
    ['a list of texts', { json: { errors: ['Too long', 'Not a date'] } }, 'Too long; Not a date'],
    [
      'fields, each with a list',
      { json: { errors: { mail: ['is taken'], age: ['is no number'] } } },
      'mail: is taken; age: is no number',
    ],
    ['an object in a list', { json: [{ messages: { mail: { message: 'is taken' } } }] }, 'mail: is taken'],
    ['an object', { json: { error: { reason: 'Not a date', id: 7 } } }, 'Not a date'],
    ['a JSON text', { json: 'Not a date' }, 'Not a date'],
    ['a line', { text: 'Not a date' }, 'Not a date'],
    ['a page', { text: '<h1>Not a date</h1>' }, 'without a message'],
    ['nothing', {}, 'without a message'],
  ])('%s', async (_, reply, text) => {
    const error = await refusalOf(provider, 'create', { status: 422, ...reply });
    expect([error.class, error.message]).toEqual(['rejected', expect.stringContaining(text)]);
  });

  it.each<Omit<Failing, 'status'>>([
    { text: 'Deadlock found when trying to get lock' },
    { json: { errors: [{ reason: 'could not serialize access' }] } },
    { json: { error: { name: ['deadlock'] } } },
  ])('that passes: %j', async (reply) => {
    const { class: of, message } = await refusalOf(provider, 'update', { status: 409, ...reply });
    expect([of, message]).toEqual(['unavailable', expect.stringMatching(/deadlock|serialize/i)]);
  });
});

// Another try cannot help, so nothing says when to make it.
test.each(Object.keys(forms))('%s: a refusal that is final asks for no wait', async (provider) => {
  const { retryAfterMs } = await refusalOf(provider, 'create', { status: 400, headers: { 'retry-after': '9' } });
  expect(retryAfterMs).toBeUndefined();
});

/** Inside a wrapper the inner code decides. */
const trigger = (first: string) =>
  `AccountTrigger: execution of AfterUpdate caused by: System.DmlException: Update failed. First exception on row 0 with id 001000000000002AAA; first error: ${first}: []`;

test.each<[string, string, string]>([
  [
    'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
    trigger('UNABLE_TO_LOCK_ROW, unable to obtain exclusive access'),
    'unavailable',
  ],
  [
    'CANNOT_EXECUTE_FLOW_TRIGGER',
    'The process failed. This error occurred: UNABLE_TO_LOCK_ROW: this record',
    'unavailable',
  ],
  ['FIELD_CUSTOM_VALIDATION_EXCEPTION', 'UNABLE_TO_LOCK_ROW met by a trigger', 'unavailable'],
  [
    'CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY',
    trigger(`CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY, ${trigger('SERVER_UNAVAILABLE, later')}`),
    'unavailable',
  ],
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', trigger('DUPLICATE_VALUE, duplicate value found: Key__c'), 'conflict'],
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', trigger('REQUIRED_FIELD_MISSING, Required fields: [X]'), 'rejected'],
  // A record that a trigger did not find is another one, and its session is not ours.
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', trigger('ENTITY_IS_DELETED, entity is deleted'), 'rejected'],
  ['CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY', trigger('INVALID_SESSION_ID, of a callout'), 'rejected'],
])('salesforce, %s: %s', async (errorCode, message, expected) => {
  const json = [{ errorCode, message, fields: [] }];
  const error = await refusalOf('salesforce', 'update', { status: 400, json });
  expect(error.class).toBe(expected);
  expect(error.existingId).toBeUndefined();
});

const invalid = (details: object) => ({ error: 'RecordInvalid', description: 'Record validation errors', details });
const taken = { description: 'Email: a@b.co is already being used by another user', error: 'DuplicateValue' };

/** Source: Zendesk API, "Request format"; facetoe/zenpy#58; docs/contributing/providers.md, 4. */
test.each<[string, Failing, string, string]>([
  [
    'zendeskSupport',
    { status: 422, json: invalid({ email: [taken] }) },
    'conflict',
    'email: Email: a@b.co is already being used by another user (DuplicateValue)',
  ],
  [
    'zendeskSupport',
    {
      status: 422,
      json: invalid({
        name: [{ description: 'Name: is too short', error: 'TooShort' }],
        phone: [{ description: 'Phone: is not valid', error: 'InvalidFormat' }],
      }),
    },
    'rejected',
    'name: Name: is too short; phone: Phone: is not valid (TooShort, InvalidFormat)',
  ],
  [
    'zendeskSupport',
    {
      status: 422,
      json: invalid({ email: [taken], name: [{ description: 'Name: is too short', error: 'TooShort' }] }),
    },
    'rejected',
    'email: Email: a@b.co is already being used by another user; name: Name: is too short (DuplicateValue, TooShort)',
  ],
  ['zendeskSupport', { status: 422, json: invalid({ base: 'One text' }) }, 'rejected', 'base: One text'],
  [
    'zendeskSupport',
    { status: 409, json: { error: 'DatabaseConflict', description: 'Database collision' } },
    'unknown',
    'Database collision (DatabaseConflict)',
  ],
  ['zendeskSupport', { status: 409, json: { error: 'DatabaseDeadlock' } }, 'unavailable', 'DatabaseDeadlock'],
  [
    'zendeskSupport',
    { status: 409, json: { error: 'UpdateConflict', description: 'Safe Update: please retry with the latest data' } },
    'conflict',
    'Safe Update: please retry with the latest data (UpdateConflict)',
  ],
  [
    'close',
    { status: 400, json: { errors: [], 'field-errors': { contact: 'Contact not found.', name: ['Too long.'] } } },
    'rejected',
    'contact: Contact not found.; name: Too long.',
  ],
  [
    'klaviyo',
    {
      status: 400,
      json: {
        errors: [
          { code: 'invalid', detail: 'Not a phone number', source: { pointer: '/data/attributes/phone_number' } },
        ],
      },
    },
    'rejected',
    'phone_number: Not a phone number (invalid)',
  ],
])('%s, %j: field and reason', async (provider, failing, expected, text) => {
  expect(await refusalOf(provider, 'create', failing)).toMatchObject({ class: expected, message: text });
});
