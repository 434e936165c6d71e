import { create, failureOf, get, on, refreshed, stub, update, useReportedCalls } from '../../test/reported-calls';

// What failed for other users of the providers that are files, each as an input. The rows of docs/providers/field-reports.md name these tests and
// their sources. Zendesk and Freshdesk are in desk-field-reports.int.test.ts, Klaviyo and
// Close in klaviyo-close-field-reports.int.test.ts.

useReportedCalls();

describe('Pipedrive', () => {
  test('P1: a text for a number is refused by v2, and the field is named', async () => {
    const body = {
      success: false,
      error: 'Parameter validation failed: owner_id: expected number, received string',
      code: 'ERR_SCHEMA_VALIDATION_FAILED',
    };
    const failure = failureOf(await create('pipedrive', { status: 400, body }, { name: 'A', owner_id: '7' }));
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('owner_id') as string });
  });

  test('P2: lists of objects go as they are', async () => {
    const emails = [{ value: 'some@example.org', label: 'work', primary: true }];
    await create('pipedrive', { status: 201, body: { success: true, data: { id: 1 } } }, { name: 'A', emails });
    expect(stub.requests[0]?.body).toEqual({ name: 'A', emails });
  });

  test('P3: "Internal Server Error" with success false: the create may have been made', async () => {
    const body = { success: false, error: 'Internal Server Error', code: 'ERR_UNKNOWN' };
    expect(failureOf(await create('pipedrive', { status: 500, body }))).toMatchObject({ class: 'unknown' });
  });

  test('P4: a grant that is gone is no failure of the moment', async () => {
    const body = { success: false, error: 'invalid_grant', message: 'Invalid refresh token' };
    expect(await refreshed('pipedrive', { status: 400, body })).toMatchObject({ class: 'credentials' });
  });

  test('P5: the next refresh takes the refresh token that came with the last', async () => {
    const body = {
      access_token: 'access-2',
      refresh_token: 'refresh-2',
      expires_in: 3599,
      api_domain: 'https://acme.pipedrive.com',
    };
    expect(await refreshed('pipedrive', { status: 200, body })).toMatchObject({
      accessToken: 'access-2',
      refreshToken: 'refresh-2',
    });
  });

  test('P6: a 200 that says success false wrote nothing', async () => {
    expect(
      failureOf(await update('pipedrive', { status: 200, body: { success: false, error: 'Nothing to update' } })),
    ).toMatchObject({ class: 'rejected' });
  });

  const written = (data: object) => ({ status: 201, body: { success: true, data: { id: 1, name: 'A', ...data } } });

  test.each([
    ['by its name of v1', { email: 'a@b.co' }, ['email']],
    ['with a label of v1', { label: 5, emails: [] }, ['label']],
    ['by its name of v2', { emails: [{ value: 'a@b.co', primary: true }] }, undefined],
  ])('P7: an address that is sent %s', async (_, fields, unkept) => {
    const result = await create('pipedrive', written({ emails: [], label_ids: [] }), { name: 'A', ...fields });
    expect(result).toMatchObject({ ok: true });
    expect('warnings' in result ? result.warnings : undefined).toEqual(
      unkept?.map((name) => expect.stringContaining(`shows no ${name} in its reply`) as string),
    );
  });

  test.each([
    ['emails', 'email', 'a+b@c.de'],
    ['phones', 'phone', '+354 555 1234'],
    ['name', 'name', 'A'],
  ])('P8: a search by %s has the name that it has in a search', async (field, fields, value) => {
    stub.replyWith({
      status: 200,
      body: { success: true, data: { items: [{ item: { id: 1, emails: ['a+b@c.de'] } }] } },
    });
    const filters = [{ field, value }];
    const found = await get('pipedrive').search({ ...on('pipedrive'), filters, fields: [field], limit: 1 });
    const sent = new URL(`http://x${stub.requests[0]?.path}`).searchParams;
    expect(Object.fromEntries(sent)).toMatchObject({ fields, term: value, exact_match: 'true' });
    expect(found.records).toMatchObject([{ id: '1', fields: { emails: ['a+b@c.de'] } }]);
  });

  const throttled = (headers: Readonly<Record<string, string>>) => ({
    status: 429,
    headers: { date: 'Sun, 29 Nov 2026 21:30:00 GMT', 'x-ratelimit-reset': '2', ...headers },
    body: { success: false, error: 'Rate limit exceeded', errorCode: 429 },
  });

  test.each([
    ['the tokens of the day', { 'x-daily-ratelimit-token-remaining': '0' }, 9_000_000],
    ['the writes of the day', { 'x-daily-requests-left': '0' }, 9_000_000],
    ['a burst, with tokens left', { 'x-daily-ratelimit-token-remaining': '77' }, 2_000],
  ])('P9: %s: waits as long as it takes', async (_, headers, retryAfterMs) => {
    expect(failureOf(await update('pipedrive', throttled(headers)))).toMatchObject({
      class: 'quota',
      scope: 'lane',
      retryAfterMs,
    });
  });

  test('P10: a company that has not paid is no fault of its records: they wait', async () => {
    const body = {
      success: false,
      error: 'Payment Required',
      error_info: 'Company account is not open',
      errorCode: 402,
    };
    expect(failureOf(await create('pipedrive', { status: 402, body }))).toMatchObject({
      class: 'unavailable',
      scope: 'lane',
      retryAfterMs: 900_000,
    });
  });

  test('P11: a limit of the plan, with its reason', async () => {
    const error = "Couldn't add the deal. Open deals limit reached.";
    const body = { success: false, error, error_info: 'Please check', data: null, code: 'feature_capping_deals_limit' };
    expect(failureOf(await create('pipedrive', { status: 403, body }))).toMatchObject({
      class: 'forbidden',
      message: expect.stringMatching(/Open deals limit reached.*feature_capping_deals_limit/) as string,
    });
  });

  test('P12: a missing scope ends no connection', async () => {
    const body = { success: false, error: 'Scope and URL mismatch', errorCode: 403 };
    expect(failureOf(await create('pipedrive', { status: 403, body }))).toMatchObject({ class: 'forbidden' });
  });

  test('P13: a secret of the app that was rotated ends no connection', async () => {
    const body = { success: false, error: 'invalid_client', message: 'Invalid client: client is invalid' };
    expect(await refreshed('pipedrive', { status: 401, body })).toMatchObject({ class: 'rejected' });
  });

  test.each([
    [401, 'credentials'],
    [402, 'unavailable'],
    [403, 'forbidden'],
    [404, 'not-found'],
    [429, 'quota'],
    [500, 'unknown'],
    [503, 'unknown'],
  ])('P14: a 200 whose body says %i', async (errorCode, expected) => {
    const body = { success: false, error: 'unauthorized access', errorCode };
    expect(failureOf(await update('pipedrive', { status: 200, body }))).toMatchObject({ class: expected });
  });

  test('P15: a custom field goes where v2 keeps it', async () => {
    const key = '43089c755de56ecdd1cf926da152dfa0ff813ff1';
    const result = await create('pipedrive', written({ custom_fields: { [key]: '141' } }), { name: 'A', [key]: '141' });
    expect(stub.requests[0]?.body).toEqual({ name: 'A', custom_fields: { [key]: '141' } });
    expect(result).not.toHaveProperty('warnings');
  });
});

describe('Zoho', () => {
  const said = (code: string, message: string, details: object = {}) => ({
    data: [{ code, status: 'error', message, details }],
  });

  test('O1: a 207 with the only record refused is no success', async () => {
    const body = said('MANDATORY_NOT_FOUND', 'required field not found', { api_name: 'Last_Name' });
    const failure = failureOf(await create('zoho', { status: 207, body }));
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('Last_Name') as string });
  });

  test('O2: a 200 with the record refused says which field and what was expected', async () => {
    const body = said('INVALID_DATA', 'invalid data', { api_name: 'Annual_Revenue', expected_data_type: 'double' });
    const failure = failureOf(await update('zoho', { status: 200, body }));
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringMatching(/Annual_Revenue/) as string });
  });

  test('O3: a token that is over is renewed', async () => {
    const body = { code: 'INVALID_TOKEN', details: {}, message: 'invalid oauth token', status: 'error' };
    expect(failureOf(await create('zoho', { status: 401, body }))).toMatchObject({ class: 'credentials' });
  });

  test('O4: an empty list where the record should be is no success', async () => {
    expect(failureOf(await create('zoho', { status: 200, body: { data: [] } }))).toMatchObject({ class: 'unknown' });
  });

  test('O5: a reply of tokens without a refresh token keeps the one that there is', async () => {
    const body = { access_token: 'access-2', api_domain: 'https://www.zohoapis.com', expires_in: 3600 };
    const fresh = await refreshed('zoho', { status: 200, body });
    expect(fresh).toMatchObject({ accessToken: 'access-2' });
    expect(fresh).not.toHaveProperty('refreshToken');
  });

  test('O6: a record that is there is a conflict', async () => {
    const body = said('DUPLICATE_DATA', 'duplicate data', { api_name: 'Email', id: '4150868000003194003' });
    expect(failureOf(await create('zoho', { status: 202, body }))).toMatchObject({ class: 'conflict' });
  });

  test('O7: 1,000 as a criterion is its text: brackets and commas are escaped', async () => {
    stub.replyWith({ status: 204 });
    await get('zoho').search({
      ...on('zoho'),
      filters: [{ field: 'Company', value: 'Smith, (Jones)' }],
      fields: [],
      limit: 1,
    });
    expect(new URL(`http://x${stub.requests[0]?.path}`).searchParams.get('criteria')).toContain(
      String.raw`Smith\, \(Jones\)`,
    );
  });

  const twin = { api_name: 'Email', duplicate_record: { id: '4150868000003194003', module: { api_name: 'Leads' } } };
  const failed = (body: object, status = 400) => update('zoho', { status, body }).then(failureOf);

  test.each([
    ['one field', said('DUPLICATE_DATA', 'duplicate data', twin)],
    [
      'several fields, in a wrapper',
      said('MULTIPLE_OR_MULTI_ERRORS', 'multiple errors', {
        errors: [
          { code: 'DUPLICATE_DATA', status: 'error', message: 'duplicate data', details: twin },
          { code: 'DUPLICATE_DATA', status: 'error', message: 'duplicate data', details: { api_name: 'Phone' } },
        ],
      }),
    ],
  ])('O8: a duplicate of %s is a conflict that names field and record', async (_, body) => {
    expect(await failed(body)).toMatchObject({
      class: 'conflict',
      existingId: '4150868000003194003',
      message: expect.stringContaining('Email: duplicate data') as string,
    });
  });

  test('O9: errors of several kinds in a wrapper: each is named, and the record decides', async () => {
    const errors = [
      { code: 'DUPLICATE_DATA', status: 'error', message: 'duplicate data', details: twin },
      { code: 'INVALID_DATA', status: 'error', message: 'invalid data', details: { api_name: 'Phone' } },
    ];
    expect(await failed(said('MULTIPLE_OR_MULTI_ERRORS', 'multiple errors', { errors }))).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/Email.*Phone/) as string,
    });
  });

  test.each([
    ['the record', {}, 'the id given seems to be invalid', 'not-found'],
    ['a lookup', { api_name: 'Account_Name' }, 'the related id given seems to be invalid', 'rejected'],
    ['an owner', { api_name: 'Owner' }, 'the id given seems to be invalid', 'rejected'],
  ])('O10: the id of %s that is not there', async (_, details, message, expected) => {
    expect(await failed(said('INVALID_DATA', message, details))).toMatchObject({ class: expected });
  });

  test('O11: a record that is locked for a while is waited for', async () => {
    expect(await failed(said('RECORD_LOCKED', 'The record under merge is locked'))).toMatchObject({
      class: 'unavailable',
      retryAfterMs: 60_000,
    });
  });

  test.each([200, 400])('O12: a user without the privilege, with %i', async (status) => {
    const body = said('AUTHORIZATION_FAILED', 'User does not have sufficient privilege to update records');
    expect(await failed(body, status)).toMatchObject({ class: 'forbidden' });
  });

  test.each([
    ['INVALID_DATA', { api_name: 'DOB', expected_data_type: 'date' }, /DOB: .*expected_data_type: date/],
    ['INVALID_DATA', { api_name: 'Email', maximum_length: 100 }, /Email: .*maximum_length: 100/],
    ['EXPECTED_FIELD_MISSING', { expected_fields: [{ api_name: 'Stage', json_path: '$.data[0].Stage' }] }, /Stage: /],
  ])('O13: %s says what was expected', async (code, details, message) => {
    expect(await failed(said(code, 'invalid data', details))).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(message) as string,
    });
  });

  test('O14: too many refreshes end no connection', async () => {
    const body = {
      error: 'Access Denied',
      error_description: 'You have made too many requests continuously. Please try again after some time.',
      status: 'failure',
    };
    expect(await refreshed('zoho', { status: 400, body })).toMatchObject({ class: 'unavailable' });
  });

  test('O15: invalid_client in a 200 speaks of the app', async () => {
    expect(await refreshed('zoho', { status: 200, body: { error: 'invalid_client' } })).toMatchObject({
      class: 'rejected',
    });
  });

  test('O16: too many calls at once are waited for', async () => {
    const body = { code: 'TOO_MANY_REQUESTS', details: {}, message: 'sub-concurrency limit reached', status: 'error' };
    expect(await failed(body, 429)).toMatchObject({ class: 'quota', scope: 'lane', retryAfterMs: 60_000 });
  });
});
