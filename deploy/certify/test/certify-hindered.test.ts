import { account, certifySuite, command, hindranceIn, sandboxUrl, tokenNameOf, unfinished } from './certify-account';

certifySuite();

const creates: Readonly<Record<string, object>> = {
  hubspot: { method: 'POST', path: '^/crm/v3/objects/contacts$' },
  salesforce: { method: 'POST', path: '^/services/data/v[0-9.]+/sobjects/Contact$' },
  klaviyo: { method: 'POST', path: '^/rest/klaviyo/api/profiles$' },
};

describe('the token', () => {
  it.each(['hubspot', 'salesforce', 'klaviyo', 'zoho'])(
    'of %s is refused: one line, exit code 3, nothing written',
    async (provider) => {
      const customer = await account(provider);
      const access = { ...customer.access, [tokenNameOf(provider)]: 'pat-na1-00000000-0000-0000-0000-000000000000' };
      const { code, text } = await command(provider, access, ['--url', sandboxUrl(), '--leave']).ended;
      expect(text).toMatch(
        new RegExp(
          `^NOT CERTIFIED, ${provider}: the token is refused: .+\\. Put a token that is in force into ${tokenNameOf(provider)}\\.\n$`,
        ),
      );
      expect(text).not.toContain('00000000-0000');
      expect([code, await customer.records()]).toEqual([3, []]);
    },
  );

  it('ends half way: it stops, and says what may be left', async () => {
    const customer = await account('hubspot');
    const body = { status: 'error', message: 'The OAuth token used to make this call expired 5 second(s) ago.' };
    const match = { path: '^/crm/v3/objects/contacts(/.*)?$', nth: 4 };
    await customer.fault({ match, times: 0, action: { kind: 'status', status: 401, body } });
    const { code, text } = await customer.certify().ended;
    expect(hindranceIn(text)).toEqual([
      expect.stringMatching(/the token is refused: .* expired 5 second\(s\) ago\. Put/),
    ]);
    expect(text).toContain('LEFT IN THE ACCOUNT: ');
    expect(text).not.toMatch(/^batch create /m);
    expect([code, unfinished().length]).toEqual([1, 1]);
  });

  it('lacks scopes, and says so: nothing is written', async () => {
    const customer = await account('hubspot');
    const body = { userId: 1, hubId: 2, appId: 3, scopes: ['oauth', 'crm.objects.contacts.read'] };
    const match = { path: '/oauth/v2/private-apps/get/access-token-info' };
    await customer.fault({ match, action: { kind: 'status', status: 200, body } });
    const { code, text } = await customer.certify().ended;
    expect(hindranceIn(text)).toEqual([
      'NOT CERTIFIED, hubspot: the token may not do this: the token lacks crm.objects.contacts.write, crm.schemas.contacts.read. ' +
        'Give the token of HUBSPOT_ACCESS_TOKEN the right to read and write the object, and run again.',
    ]);
    expect(code).toBe(3);
    expect((await customer.calls()).filter(({ action }) => action === 'create')).toEqual([]);
  });

  it.each([
    ['hubspot', { status: 403 }, /granted all required scopes/],
    [
      'salesforce',
      { status: 403, body: [{ errorCode: 'INSUFFICIENT_ACCESS_OR_READONLY', message: 'insufficient access rights' }] },
      /insufficient access rights/,
    ],
    [
      'klaviyo',
      {
        status: 403,
        body: { errors: [{ code: 'permission_denied', detail: 'You do not have permission to perform this action.' }] },
      },
      /You do not have permission/,
    ],
  ])('of %s may only read: one line, exit code 3, and nothing further is tried', async (provider, refusal, said) => {
    const customer = await account(provider);
    await customer.fault({ match: creates[provider], times: 0, action: { kind: 'status', ...refusal } });
    const { code, text } = await customer.certify('--leave').ended;
    expect(hindranceIn(text)).toEqual([
      expect.stringMatching(/the token may not do this: .+\. Give the token of \w+_ACCESS_TOKEN/),
    ]);
    expect(hindranceIn(text)[0]).toMatch(said);
    expect(text).toMatch(/^create +one record, with its id +forbidden: .* not tried$/m);
    expect(text).not.toMatch(/^update /m);
    expect([code, await customer.records(), unfinished()]).toEqual([3, [], []]);
  });
});

describe('a limit', () => {
  it('that has room again is waited for', async () => {
    const customer = await account('hubspot');
    await customer.fault({ match: creates['hubspot'], times: 2, action: { kind: 'quota' } });
    const { code, text } = await customer.certify().ended;
    expect(hindranceIn(text)).toEqual([]);
    expect([code, await customer.records()]).toEqual([0, []]);
  });

  it.each(['hubspot', 'salesforce'])('of the day, at %s: one line, exit code 3, and nothing left', async (provider) => {
    const customer = await account(provider);
    await customer.fault({ match: creates[provider], times: 0, action: { kind: 'quota', policy: 'daily' } });
    const { code, text } = await customer.certify().ended;
    expect(hindranceIn(text)).toEqual([
      expect.stringMatching(/: a limit is reached: .+\. Run again when the limit has room\.$/),
    ]);
    expect(text).toContain('nothing is left in the account');
    expect([code, await customer.records()]).toEqual([3, []]);
  });

  it('at the door', async () => {
    const customer = await account('pipedrive');
    await customer.fault({ times: 0, action: { kind: 'status', status: 429, retryAfterSeconds: 3600 } });
    const { code, text } = await customer.certify('--leave').ended;
    expect(text).toMatch(/^NOT CERTIFIED, pipedrive: a limit is reached: .+\. Run again when the limit has room\.\n$/);
    expect(code).toBe(3);
  });
});

it('an outage: one line, exit code 3', async () => {
  const customer = await account('hubspot');
  await customer.fault({ times: 0, action: { kind: 'status', status: 521 } });
  const { code, text } = await customer.certify().ended;
  expect(text).toMatch(/^NOT CERTIFIED, hubspot: the provider does not answer: .+\. Run again later\.\n$/);
  expect(code).toBe(3);
});
