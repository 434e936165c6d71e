import {
  auth,
  create,
  cut,
  failureOf,
  get,
  on,
  refreshed,
  stub,
  update,
  useReportedCalls,
} from '../../test/reported-calls';

// What failed for other users of Zendesk and Freshdesk, each as an input. The rows of docs/providers/field-reports.md name these tests and
// their sources.

useReportedCalls();

describe('Zendesk', () => {
  test('Z1: the wait of a 429 is in Retry-After', async () => {
    const reply = { status: 429, headers: { 'retry-after': '93' }, body: { error: 'APIRateLimitExceeded' } };
    expect(failureOf(await update('zendeskSupport', reply))).toMatchObject({
      class: 'quota',
      scope: 'lane',
      retryAfterMs: 93_000,
    });
  });

  test('Z2: a create of 409 may have been made: it is not sent again unseen', async () => {
    const body = { error: 'DatabaseConflict', description: 'Database collision' };
    expect(failureOf(await create('zendeskSupport', { status: 409, body }))).toMatchObject({ class: 'unknown' });
  });

  test('Z3: what a form of the account asks for is named', async () => {
    const problem = {
      ticket_field_type: 'FieldTagger',
      ticket_field_id: 12_345_657,
      description: 'Type:: is required when solving a ticket',
      error: null,
    };
    const body = { error: 'RecordInvalid', description: 'Record validation errors', details: { base: [problem] } };
    const failure = failureOf(await update('zendeskSupport', { status: 422, body }, { status: 'solved' }));
    expect(failure).toMatchObject({
      class: 'rejected',
      message: expect.stringContaining('is required when solving') as string,
    });
  });

  test('Z4: a member that Zendesk removed is a warning', async () => {
    const headers = {
      'x-zendesk-api-warn': 'Removed restricted keys ["ticket.created_at"] from parameters according to whitelist',
    };
    const result = await update(
      'zendeskSupport',
      { status: 200, headers, body: { ticket: { id: 7 } } },
      { created_at: '2020-01-01T00:00:00Z' },
    );
    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining('created_at')] });
  });

  test('Z5: a choice that the field does not have is dropped without an error: a warning', async () => {
    const custom = [{ id: 31_186_457, value: null }];
    const result = await update(
      'zendeskSupport',
      { status: 200, body: { ticket: { id: 7, custom_fields: custom } } },
      { custom_fields: [{ id: 31_186_457, value: 'no_such_option' }] },
    );
    expect(result).toMatchObject({ ok: true, warnings: [expect.stringContaining('31186457')] });
  });

  test.each([
    ['the choice of before', 'gold', 'plat', true],
    ['the number in another form', '5', 5, false],
    ['nothing of it', 'gold', undefined, false],
  ])('Z5: a reply that shows %s', async (_, shown, sent, isDropped) => {
    const body = { ticket: { id: 7, custom_fields: shown === undefined ? [] : [{ id: 31_186_457, value: shown }] } };
    const result = await update('zendeskSupport', { status: 200, body }, { 31186457: sent });
    expect(result).toMatchObject({ ok: true });
    expect('warnings' in result).toBe(isDropped);
  });

  test('Z6: a reply without the ticket is no success', async () => {
    expect(failureOf(await create('zendeskSupport', { status: 201, body: {} }))).toMatchObject({ class: 'unknown' });
  });

  test.each([
    [
      'create',
      { error: { title: 'No help desk at acme.zendesk.com', message: 'There is no help desk configured here.' } },
    ],
    [
      'update',
      { error: { title: 'No help desk at acme.zendesk.com', message: 'There is no help desk configured here.' } },
    ],
    ['update', '<!DOCTYPE html><html><title>Oops, this help center no longer exists</title></html>'],
  ] as const)('Z7: an address without a help desk refuses no record: a waiting %s waits (%p)', async (kind, body) => {
    const write = kind === 'create' ? create : update;
    expect(failureOf(await write('zendeskSupport', { status: 404, body }))).toMatchObject({
      class: 'unavailable',
      scope: 'lane',
    });
  });

  test('Z7: a ticket, an endpoint and an address that are not there are told apart', async () => {
    const gone = (error: string) => ({ status: 404, body: { error, description: 'Not found' } });
    expect(failureOf(await update('zendeskSupport', gone('RecordNotFound')))).toMatchObject({ class: 'not-found' });
    expect(failureOf(await update('zendeskSupport', gone('InvalidEndpoint')))).toMatchObject({ class: 'rejected' });
    const renamed = { error: { title: 'No help desk at acme.zendesk.com', message: 'There is no help desk' } };
    stub.replyWith({ status: 404, body: renamed });
    await expect(get('zendeskSupport').workspace({ auth })).rejects.toMatchObject({ class: 'rejected' });
  });

  test.each([
    ['old@b.co', true],
    ['New@B.co', false],
    [undefined, false],
  ])('Z8: an email of an update that became a second one, where the reply shows %p', async (email, isKept) => {
    stub.replyWith({
      status: 200,
      body: { user: { id: 7, name: 'A', ...(email !== undefined && { email }) } },
    });
    const result = await get('zendeskSupport').update({
      auth,
      objectName: 'users',
      recordId: '7',
      fields: { name: 'B', email: 'new@b.co' },
    });
    expect(result).toMatchObject({ ok: true });
    expect('warnings' in result ? result.warnings?.join() : '').toMatch(isKept ? /email: its reply/ : /^$/);
  });

  test('Z9: the custom field that a form asks for is named by its id', async () => {
    const problem = {
      ticket_field_id: 28_410_001,
      description: 'About: is required when solving a ticket',
      error: null,
    };
    const body = { error: 'RecordInvalid', description: 'Record validation errors', details: { base: [problem] } };
    expect(failureOf(await create('zendeskSupport', { status: 422, body }))).toMatchObject({
      class: 'rejected',
      message: expect.stringContaining('28410001: About: is required') as string,
    });
  });

  test('Z10: tokens without expires_in are no end of the connection: a token that is over is renewed', async () => {
    const body = { access_token: 'access-2', refresh_token: 'refresh-2', token_type: 'bearer', scope: 'read write' };
    const fresh = await refreshed('zendeskSupport', { status: 200, body });
    expect(fresh).toMatchObject({ accessToken: 'access-2', refreshToken: 'refresh-2' });
    expect(fresh).not.toHaveProperty('expiresAt');
    const over = { error: 'invalid_token', error_description: 'The access token provided is expired, revoked, …' };
    expect(failureOf(await update('zendeskSupport', { status: 401, body: over }))).toMatchObject({
      class: 'credentials',
    });
  });

  test('Z11: a refresh token is good once: the next one is kept, null for it is none', async () => {
    const reply = (token: string | null) => ({ status: 200, body: { access_token: 'access-2', refresh_token: token } });
    expect(await refreshed('zendeskSupport', reply('refresh-2'))).toMatchObject({ refreshToken: 'refresh-2' });
    expect(await refreshed('zendeskSupport', reply(null))).not.toHaveProperty('refreshToken');
  });

  test('Z12: a suspended requester is the reason that the caller reads', async () => {
    const details = { requester: [{ description: 'Requester: Ana is suspended.', error: 'UserSuspended' }] };
    const body = { error: 'RecordInvalid', description: 'Record validation errors', details };
    expect(failureOf(await create('zendeskSupport', { status: 422, body }))).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/^requester: .*is suspended.*UserSuspended/) as string,
    });
  });

  test.each([
    ['zendeskSupport', { user: { id: null, name: 'Anonymous user', role: 'end-user' } }],
    ['freshdesk', { available: true, contact: { name: 'Somebody' } }],
  ])('Z13: 200 to nobody proves no credentials (%s)', async (provider, body) => {
    stub.replyWith({ status: 200, body });
    await expect(get(provider).workspace(on(provider))).rejects.toMatchObject({ class: 'credentials' });
  });

  test('Z14: new connections take no API token; those that have one say what to do when it ends', async () => {
    const { authSchemes, update: write } = get('zendeskSupport');
    expect(authSchemes).toEqual(['oauth2/authorizationCode', 'oauth2/authorizationCodePKCE']);
    stub.replyWith({ status: 200, body: { ticket: { id: 7 } } });
    const basic = { ...on('zendeskSupport'), auth: { ...auth, kind: 'basic' as const }, recordId: '7', fields: {} };
    expect(await write(basic)).toMatchObject({ ok: true });
    stub.replyWith({ status: 401, body: { error: "Couldn't authenticate you" } });
    expect(failureOf(await write(basic))).toMatchObject({
      class: 'credentials',
      message: expect.stringMatching(/Couldn't authenticate you.*30 April 2027/) as string,
    });
    expect(failureOf(await update('zendeskSupport', { status: 401, body: { error: 'invalid_token' } }))).toMatchObject({
      message: expect.not.stringContaining('2027') as string,
    });
  });

  test('Z15: a create without a reply may have been made, and carries no key that would make it safe', async () => {
    expect(failureOf(await create('zendeskSupport', cut))).toMatchObject({ class: 'unknown' });
  });

  test('Z16: errors that come as a list say why', async () => {
    const body = {
      errors: [{ code: 'TooManyValues', title: 'Invalid attribute', detail: 'tags has too many values' }],
    };
    expect(failureOf(await create('zendeskSupport', { status: 400, body }))).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/tags has too many values.*TooManyValues/) as string,
    });
  });
});

describe('Freshdesk', () => {
  const invalid = (field: string, code: string, message: string, rest: object = {}) => ({
    description: 'Validation failed',
    errors: [{ field, code, message, ...rest }],
  });

  test('F1: members that the plan does not have are absent: the record is there', async () => {
    expect(await create('freshdesk', { status: 201, body: { id: 2_043_012_312 } })).toMatchObject({
      ok: true,
      recordId: '2043012312',
    });
  });

  test('F2: a contact that exists is a conflict that names it', async () => {
    const body = invalid('email', 'duplicate_value', 'It should be a unique value', {
      additional_info: { user_id: 2_043_012_313 },
    });
    expect(failureOf(await create('freshdesk', { status: 409, body }, { email: 'a@b.co' }))).toMatchObject({
      class: 'conflict',
      existingId: '2043012313',
    });
  });

  test('F3: a type that does not fit says field and reason', async () => {
    const body = invalid('custom_fields', 'datatype_mismatch', 'It should be a/an key/value pair');
    const failure = failureOf(await create('freshdesk', { status: 400, body }, { custom_fields: [] }));
    expect(failure).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/custom_fields.*key\/value pair|key\/value pair.*custom_fields/) as string,
    });
  });

  test('F4: a 429 of an hour is waited for', async () => {
    const reply = {
      status: 429,
      headers: { 'retry-after': '1800' },
      body: { message: 'You have exceeded the limit of requests per hour' },
    };
    expect(failureOf(await create('freshdesk', reply))).toMatchObject({ class: 'quota', retryAfterMs: 1_800_000 });
  });

  test.each([404, 405])('F5: a contact that was deleted or is spam is not there (%i)', async (status) => {
    expect(failureOf(await update('freshdesk', { status }))).toMatchObject({ class: 'not-found' });
  });

  test('F6: a search of tickets finds those of more than 30 days ago', async () => {
    const searched = async (objectName: string) => {
      stub.replyWith({ status: 200, body: [] });
      await get('freshdesk').search({
        ...on('freshdesk'),
        objectName,
        filters: [{ field: 'email', value: 'a@b.co' }],
        fields: [],
        limit: 5,
      });
      return Object.fromEntries(new URL(`http://x${stub.requests.at(-1)?.path}`).searchParams);
    };
    const asked = await searched('tickets');
    expect(asked).toEqual({ email: 'a@b.co', per_page: '100', updated_since: expect.any(String) as string });
    expect(Date.parse(asked['updated_since'] ?? '')).toBeLessThan(Date.parse('2011-01-01'));
    expect(await searched('contacts')).toEqual({ email: 'a@b.co', per_page: '100' });
  });

  test('F7: "You have to be logged in" is what a wrong key is told', async () => {
    const body = { code: 'invalid_credentials', message: 'You have to be logged in to perform this action.' };
    expect(failureOf(await update('freshdesk', { status: 401, body }))).toMatchObject({ class: 'credentials' });
  });

  test('F8: every field that a ticket lacks or has too much is named', async () => {
    const body = {
      description: 'Validation failed',
      errors: [
        { field: 'type', message: 'Unexpected/invalid field in request', code: 'invalid_field' },
        { field: 'source', message: 'It should be a/an Positive Integer', code: 'missing_field' },
      ],
    };
    expect(failureOf(await create('freshdesk', { status: 400, body }))).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/type: Unexpected.*source: It should be/) as string,
    });
  });

  test('F9: a ticket whose reply was late or lost may be there: it is not sent again', async () => {
    stub.replyWith(cut);
    const ticket = { ...on('freshdesk'), objectName: 'tickets', fields: { subject: 'A', email: 'a@b.co' } };
    expect(failureOf(await get('freshdesk').create(ticket))).toMatchObject({ class: 'unknown' });
    stub.replyWith({ status: 503 });
    expect(failureOf(await get('freshdesk').create(ticket))).toMatchObject({ class: 'unknown' });
  });

  test('F10: choices that are lists, maps or texts do not make the fields unreadable', async () => {
    const field = (name: string, choices: unknown) => ({
      name,
      label: name,
      type: 'default_x',
      default: true,
      choices,
    });
    stub.replyWith({
      status: 200,
      body: [field('type', ['Question']), field('status', { 2: ['Open', 'Open'] }), field('source', { Email: 1 })],
    });
    const { fields } = await get('freshdesk').describe({ ...on('freshdesk'), objectName: 'tickets' });
    expect(Object.keys(fields)).toEqual(['type', 'status', 'source']);
  });

  test.each([
    ['create', undefined],
    ['create', "<html><title>We couldn't find that helpdesk</title></html>"],
    ['update', "<html><title>We couldn't find that helpdesk</title></html>"],
  ] as const)('F11: at an address that was renamed a waiting %s waits (%p)', async (kind, body) => {
    const write = kind === 'create' ? create : update;
    expect(failureOf(await write('freshdesk', { status: 404, ...(body !== undefined && { body }) }))).toMatchObject({
      class: 'unavailable',
      scope: 'lane',
    });
  });

  test('F12: a redirect to a login is not followed with the key, and is no success', async () => {
    const moved = { status: 302, headers: { location: 'https://acme.myfreshworks.com/login' } };
    expect(failureOf(await create('freshdesk', moved))).toMatchObject({ class: 'unknown' });
    expect(stub.requests).toHaveLength(1);
  });

  test('F13: an endpoint has a lower limit than the account: its 429 is waited for, whatever is left', async () => {
    const headers = { 'retry-after': '26', 'x-ratelimit-total': '400', 'x-ratelimit-remaining': '341' };
    const body = { message: 'You have exceeded the limit of requests per minute' };
    expect(failureOf(await create('freshdesk', { status: 429, headers, body }))).toMatchObject({
      class: 'quota',
      retryAfterMs: 26_000,
    });
  });
});
