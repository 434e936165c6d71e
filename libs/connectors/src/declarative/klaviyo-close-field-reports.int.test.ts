import { auth, create, failureOf, get, on, refreshed, stub, update, useReportedCalls } from '../../test/reported-calls';
import type { Fields } from '../requests';

// What failed for other users of the providers that are files, each as an input. The rows of docs/providers/field-reports.md name these tests and
// their sources.

useReportedCalls();

describe('Klaviyo', () => {
  const conflict = {
    errors: [
      {
        status: 409,
        code: 'duplicate_profile',
        title: 'Conflict.',
        detail: 'A profile already exists with one of these identifiers.',
        source: { pointer: '/data/attributes' },
        meta: { duplicate_profile_id: '01HX' },
      },
    ],
  };

  test('K1: a profile that exists is a conflict that names it', async () => {
    expect(failureOf(await create('klaviyo', { status: 409, body: conflict }, { email: 'a@b.co' }))).toMatchObject({
      class: 'conflict',
      existingId: '01HX',
    });
  });

  test('K2: an update may meet another profile with its number', async () => {
    expect(
      failureOf(await update('klaviyo', { status: 409, body: conflict }, { phone_number: '+15551230987' })),
    ).toMatchObject({ class: 'conflict' });
  });

  test('K3: a number that is not E.164 is refused with its field', async () => {
    const body = {
      errors: [
        {
          status: 400,
          code: 'invalid',
          title: 'Invalid input.',
          detail: 'Invalid phone number format (Example of a valid format: +12345678901)',
          source: { pointer: '/data/attributes/phone_number' },
        },
      ],
    };
    const failure = failureOf(await create('klaviyo', { status: 400, body }, { phone_number: '004300005400' }));
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringMatching(/phone/) as string });
  });

  test('K4: a 429 says how long', async () => {
    const body = {
      errors: [
        { status: 429, code: 'throttled', title: 'Request was throttled.', detail: 'Expected available in 1 second.' },
      ],
    };
    expect(failureOf(await create('klaviyo', { status: 429, headers: { 'retry-after': '1' }, body }))).toMatchObject({
      class: 'quota',
      retryAfterMs: 1_000,
    });
  });

  const oneOf = (status: number, code: string, detail: string, rest: object = {}) => ({
    errors: [{ id: 'e-1', status, code, title: 'Invalid input.', detail, ...rest }],
  });
  const filterOf = async (value: string) => {
    stub.replyWith({ status: 200, body: { data: [] } });
    const filters = [{ field: 'email', value }];
    await get('klaviyo').search({ ...on('klaviyo'), filters, fields: [], limit: 1 });
    return new URL(`http://x${stub.requests.at(-1)?.path}`).searchParams.get('filter');
  };

  test('K5: a literal of a filter is quoted, and a quote in it ends nothing', async () => {
    expect(await filterOf('me@test.com')).toBe('equals(email,"me@test.com")');
    expect(await filterOf(String.raw`a"),equals(email,"b\c`)).toBe(
      String.raw`equals(email,"a\"),equals(email,\"b\\c")`,
    );
  });

  test('K6: the plus of an address is looked up as a plus', async () => {
    stub.replyWith({ status: 200, body: { data: [] } });
    const records = [{ fields: { email: 'a+b@c.co' }, since: new Date() }];
    await get('klaviyo').findCreated({ ...on('klaviyo'), records });
    expect(stub.requests.at(-1)?.path).toContain('a%2Bb%40c.co');
  });

  test('K7: a 403 with the page of a challenge says nothing of the key', async () => {
    const reply = { status: 403, headers: { 'content-type': 'text/html' }, body: '<title>Just a moment...</title>' };
    expect(failureOf(await create('klaviyo', reply, { email: 'a@b.co' }))).toMatchObject({ class: 'unavailable' });
  });

  test('K8: available in 0 seconds is no wait of nothing', async () => {
    const body = oneOf(429, 'throttled', 'Request was throttled. Expected available in 0 seconds.');
    expect(failureOf(await create('klaviyo', { status: 429, body }, { email: 'a@b.co' }))).toMatchObject({
      class: 'quota',
      retryAfterMs: 10_000,
    });
  });

  test.each([
    ['K9', 429, { detail: 'Request was throttled. Expected available in 56.0 seconds.' }, 56_000],
    ['K10', 410, { message: 'This API has been retired and is no longer in service.' }, 900_000],
    ['K10', 400, { error_description: 'Write a list.', error: 'bad_form' }, undefined],
  ])('%s: %i with its reason at the top of the body', async (_, status, body, retryAfterMs) => {
    const failure = failureOf(await create('klaviyo', { status, body }, { email: 'a@b.co' }));
    expect(failure).toMatchObject({ message: expect.stringContaining(Object.values(body)[0] ?? '') as string });
    expect(failure?.retryAfterMs).toBe(retryAfterMs);
  });

  test('K10: at another provider too, and never from the values of a success', async () => {
    const gone = { status: 502, body: { message: 'Endpoint request timed out' } };
    expect(failureOf(await create('close', gone))?.message).toBe('Endpoint request timed out');
    const success = { status: 201, body: { message: 'a value' } };
    expect(failureOf(await create('close', success))?.message).not.toContain('a value');
  });

  test('K11: a conflict without the id of the other is one all the same', async () => {
    const body = oneOf(409, 'duplicate_profile', 'A profile already exists.', { meta: {} });
    const failure = failureOf(await create('klaviyo', { status: 409, body }, { email: 'a@b.co' }));
    expect(failure).toMatchObject({ class: 'conflict' });
    expect(failure).not.toHaveProperty('existingId');
  });

  test('K12: invalid_grant_type to a refresh means that the access has ended', async () => {
    expect(await refreshed('klaviyo', { status: 400, body: { error: 'invalid_grant_type' } })).toMatchObject({
      class: 'credentials',
      message: expect.stringContaining('must connect again') as string,
    });
  });

  test('K13: a permission that the key lacks does not end the key', async () => {
    const body = oneOf(403, 'permission_denied', 'You do not have permission to perform this action.');
    const failure = failureOf(await create('klaviyo', { status: 403, body }, { email: 'a@b.co' }));
    expect(failure).toMatchObject({ class: 'forbidden', message: expect.stringContaining('permission') as string });
    await expect(get('klaviyo').workspace({ auth })).rejects.toMatchObject({ class: 'forbidden' });
  });

  test('K14: a long reason arrives whole', async () => {
    const detail = `${'properties must be of a type that is allowed; '.repeat(5)}MyCustomProperty is not`;
    const failure = failureOf(await update('klaviyo', { status: 400, body: oneOf(400, 'invalid', detail) }));
    expect(failure?.message).toContain('MyCustomProperty is not');
  });

  test('K15: a field that the resource does not have is named', async () => {
    const detail = "'lastName' is not a valid field for the resource 'profile'.";
    const source = { pointer: '/data/attributes/lastName' };
    const failure = failureOf(
      await create('klaviyo', { status: 400, body: oneOf(400, 'invalid', detail, { source }) }, { lastName: 'A' }),
    );
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('lastName') as string });
  });
});

describe('Close', () => {
  test('C1: what is wrong with a member of a list is named', async () => {
    const inner = { 'field-errors': { 'custom.LinkedIn': 'The Custom Field "LinkedIn" does not exist.' }, errors: [] };
    const body = { 'field-errors': { contacts: { errors: { 0: inner } } }, errors: [] };
    const failure = failureOf(await update('close', { status: 400, body }, { contacts: [{ 'custom.LinkedIn': 'x' }] }));
    expect(failure).toMatchObject({ class: 'rejected', message: expect.stringContaining('does not exist') as string });
  });

  test('C2: a field error by name reaches the caller', async () => {
    const body = { errors: [], 'field-errors': { status_id: 'The status does not exist.' } };
    const failure = failureOf(await create('close', { status: 400, body }, { name: 'A', status_id: 'x' }));
    expect(failure).toMatchObject({
      class: 'rejected',
      message: expect.stringMatching(/status_id.*does not exist/) as string,
    });
  });

  test('C3: the wait of a 429 is in RateLimit', async () => {
    const headers = { ratelimit: 'limit=100, remaining=0, reset=5' };
    const failure = failureOf(await create('close', { status: 429, headers, body: { error: { rate_reset: 5 } } }));
    expect(failure).toMatchObject({ class: 'quota', retryAfterMs: 5_000 });
  });

  const inItem = (errors: object) => ({ errors: { 0: { 'field-errors': errors, errors: [] } } });

  test('C4: what an email of a contact of a lead lacks is named, however deep it stands', async () => {
    const emails = inItem({ emails: inItem({ type: 'This field is required.' }) });
    const body = { 'field-errors': { contacts: emails }, errors: [] };
    const contacts = [{ name: 'B', emails: [{ email: 'b@bluth.co' }] }];
    expect(failureOf(await create('close', { status: 400, body }, { name: 'A', contacts }))).toMatchObject({
      class: 'rejected',
      message: 'type: This field is required.',
    });
  });

  test.each<[string, Fields, Fields, string[]]>([
    ['a name that it does not know', { name: 'A', 'field to update': 'x' }, { name: 'A' }, ['field to update']],
    ['a custom field', { 'custom.cf_7': 'gold' }, { name: 'A' }, ['custom.cf_7']],
    ['another value of one', { 'custom.cf_7': 'gold' }, { 'custom.cf_7': 'lead' }, ['custom.cf_7']],
    ['a field that is emptied', { description: null, url: '' }, { name: 'A' }, []],
    ['a status by its label, which is shown as another member', { status: 'Won' }, { status_label: 'Won' }, []],
  ])('C5: the reply to an update lacks %s', async (_, fields, shown, named) => {
    const result = await update('close', { status: 200, body: { id: 'lead_7', ...shown } }, fields);
    expect(result).toMatchObject({ ok: true });
    const warnings = result.ok ? (result.warnings ?? []) : [];
    expect(warnings.map((text) => named.find((name) => text.includes(name)))).toEqual(named);
  });

  test('C6: custom fields in an object are sent one by one: the object would end all others', async () => {
    const fields = { name: 'A', custom: { cf_7: 'gold', Tier: 'pro' } };
    await update('close', { status: 200, body: { id: 'lead_7', name: 'A' } }, fields);
    expect(stub.requests.at(-1)?.body).toEqual({ name: 'A', 'custom.cf_7': 'gold', 'custom.Tier': 'pro' });
    await update('close', { status: 200, body: { id: 'lead_7' } }, { custom: {} });
    expect(stub.requests.at(-1)?.body).toEqual({});
  });

  test.each([
    ['C7', { ratelimit: 'limit=100, remaining=0, reset=0.4' }, '<h1>Too many requests</h1>', 400],
    ['C7', {}, '<h1>Too many requests</h1>', 10_000],
    ['C8', {}, { error: 'API call count exceeded for this 15 second window', rate_reset: 2.71 }, 2_710],
    ['C13', { 'ratelimit-reset': '3' }, { error: 'x' }, 3_000],
    ['C13', { 'x-rate-limit-reset': '3' }, { error: 'x' }, 3_000],
  ])('%s: the wait of a 429 with %j and %j', async (_, headers, body, retryAfterMs) => {
    const failure = failureOf(await create('close', { status: 429, headers, body }));
    expect(failure).toMatchObject({ class: 'quota', retryAfterMs });
  });

  test.each([502, 503, 504])('C9: a create of %i may have been made, an update is tried again', async (status) => {
    expect(failureOf(await create('close', { status, body: 'x' }))).toMatchObject({ class: 'unknown' });
    expect(failureOf(await update('close', { status, body: 'x' }))?.class).toMatch(/unknown|unavailable/);
  });

  test('C10: a value that is no integer is refused with its field', async () => {
    const body = { errors: [], 'field-errors': { value: 'Value must be an integer.' } };
    stub.replyWith({ status: 400, body });
    const call = { auth, objectName: 'opportunity', fields: { lead_id: 'lead_7', value: 100.5 } };
    expect(failureOf(await get('close').create(call))).toMatchObject({
      class: 'rejected',
      message: 'value: Value must be an integer.',
    });
  });

  const pageOf = (provider: string, scopes?: readonly string[]) => {
    const app = { clientId: 'app-1', redirectUri: 'https://sluice.example.org/oauth', state: 's', codeChallenge: 'c' };
    return new URL(get(provider).authorizationUrl({ ...app, ...(scopes && { scopes }) })).searchParams;
  };

  test('C11: what gives a refresh token is asked for with the code', () => {
    expect(pageOf('close', ['all.full_access']).get('scope')).toBe('all.full_access offline_access');
    expect(pageOf('close', ['offline_access', 'all.full_access']).get('scope')).toBe('offline_access all.full_access');
    // Without scopes an app is given its own, this one among them.
    expect(pageOf('close').has('scope')).toBe(false);
    expect(Object.fromEntries(pageOf('zoho', ['ZohoCRM.modules.ALL']))).toMatchObject({
      access_type: 'offline',
      prompt: 'consent',
      response_type: 'code',
      scope: 'ZohoCRM.modules.ALL',
    });
  });

  test('C12: an update carries no list that the caller did not name: it would replace the one that is there', async () => {
    await update('close', { status: 200, body: { id: 'cont_7', title: 'CEO', emails: [] } }, { title: 'CEO' });
    expect(stub.requests.at(-1)?.body).toEqual({ title: 'CEO' });
  });
});
