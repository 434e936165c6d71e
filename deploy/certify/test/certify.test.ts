import { readFileSync } from 'node:fs';
import { NotCertifiable } from '../src/run-certification';
import { account, certify, certifySuite, command, inDataDir, tokenNameOf, unfinished } from './certify-account';

certifySuite();

const creates = { method: 'POST', path: '^/crm/v3/objects/contacts$' };
const refusal = { status: 'error', message: 'not here', category: 'VALIDATION_ERROR' };

// One of each kind: tests/flows/connector-conformance.test.ts tries the same promises with every provider.
it('hubspot: every promise is kept, nothing is left, and the log has nothing of the account', async () => {
  const customer = await account('hubspot');
  const file = inDataDir('out.jsonl');
  const { code, text } = await customer.certify({ out: file });
  expect(text).toMatch(/\n\d+ ok, 0 differ, 0 not tried\nnothing is left in the account\n\d{3} exchanges/);
  expect([code, await customer.records(), unfinished()]).toEqual([0, [], []]);
  expect(text).not.toContain(customer.token);
  const [, ...exchanges] = readFileSync(file, 'utf8').trim().split('\n');
  expect(exchanges.length).toBeGreaterThan(100);
  expect(exchanges.join()).not.toMatch(new RegExp(`${customer.token}|${customer.name}|certify-2|example\\.com|Zoë`));
});

it('zendeskSupport: every promise is kept; the records stay as asked, and are listed', async () => {
  const customer = await account('zendeskSupport');
  const { code, text } = await customer.certify({ leave: true });
  expect(text).toMatch(/\n\d+ ok, 0 differ, 0 not tried\nstays in the account, delete by hand: \S+/);
  const listed = /delete by hand: (.*)/.exec(text)?.[1]?.split(', ').toSorted();
  expect(listed).toEqual((await customer.records()).map(({ id }) => id).toSorted());
  expect([code, unfinished()]).toEqual([0, []]);
});

describe('an account that does something else: exit code 1', () => {
  it('a refused update differs, with the message and no token that a provider repeats, and nothing is left', async () => {
    const customer = await account('hubspot');
    const body = { ...refusal, message: `no updates for ${customer.token}\u001b[2J` };
    await customer.fault({ match: { method: 'PATCH' }, action: { kind: 'status', status: 400, body } });
    const { code, text } = await customer.certify();
    expect(text).toMatch(/^differs {4}update: changes what is sent and leaves the rest\n +rejected: no updates for /m);
    expect(text).not.toContain(customer.token);
    expect(text).not.toContain('\u001b');
    expect([code, await customer.records()]).toEqual([1, []]);
  });

  it('a record that it says it deleted is named as left', async () => {
    const customer = await account('hubspot');
    const match = { method: 'DELETE', path: '^/crm/v3/objects/contacts/' };
    await customer.fault({ match, times: 0, action: { kind: 'status', status: 204 } });
    const { code, text } = await customer.certify();
    expect(text).toMatch(/^differs {4}cleanup: no mark is found any more\n/m);
    expect(text).toMatch(new RegExp(`^LEFT IN THE ACCOUNT: .*${(await customer.records())[0]?.id}`, 'm'));
    expect([code, unfinished().length]).toEqual([1, 1]);
  });

  it.each(['hubspot', 'pipedrive'])('%s: a create that it refused and made is found by its mark', async (provider) => {
    const customer = await account(provider);
    const match = provider === 'hubspot' ? creates : { method: 'POST', path: '^/rest/pipedrive/.*/persons$' };
    await customer.fault({ match, action: { kind: 'commit-then-status', status: 400, body: refusal } });
    const { code, text } = await customer.certify({ leave: true });
    expect(text).toMatch(
      /^differs {4}cleanup: what was refused was not written\n +.*sluice-certify-\S+ is there, as \d+/m,
    );
    expect([code, (await customer.records()).length > 0]).toEqual([1, provider === 'pipedrive']);
  });
});

it('a token that may not write what contacts are linked to: not tried, and the rest is certified', async () => {
  const customer = await account('hubspot');
  const body = { ...refusal, category: 'MISSING_SCOPES' };
  await customer.fault({
    match: { path: '^/crm/v3/objects/companies' },
    times: 0,
    action: { kind: 'status', status: 403, body },
  });
  const { code, text } = await customer.certify();
  expect(text).toMatch(/^not tried {2}associations: made with a create\n +forbidden: /m);
  expect(text).toMatch(/\n\d+ ok, 0 differ, \d not tried\nnothing is left in the account\n/);
  expect([code, await customer.records()]).toEqual([0, []]);
});

describe('blocked: one line with what to do, and exit code 3', () => {
  const lines = (text: string) => text.split('\n').filter((line) => line.startsWith('NOT CERTIFIED'));

  it.each(['hubspot', 'salesforce', 'klaviyo', 'zoho'])(
    '%s: the token is refused, and not printed',
    async (provider) => {
      const customer = await account(provider);
      const env = {
        [tokenNameOf(provider)]: 'pat-na1-00000000-0000-0000',
        [tokenNameOf(provider, 'WORKSPACE')]: 'acme',
      };
      const { code, text } = await customer.certify({ env, leave: true });
      const name = tokenNameOf(provider);
      expect(text).toMatch(
        new RegExp(
          `^NOT CERTIFIED, ${provider}: the token is refused: .+\\. Put a token that is in force into ${name}\\.\n$`,
        ),
      );
      expect(text).not.toContain('00000000-0000');
      expect([code, await customer.records()]).toEqual([3, []]);
    },
  );

  it.each([
    [
      'the token may only read',
      creates,
      { kind: 'status', status: 403, body: { ...refusal, category: 'MISSING_SCOPES' } },
      /the token may not do this: .+\. Give the token of HUBSPOT_ACCESS_TOKEN the right/,
    ],
    [
      'a daily limit',
      creates,
      { kind: 'quota', policy: 'daily' },
      /a limit is reached: .+\. Run again when the limit has room\.$/,
    ],
    ['an outage', undefined, { kind: 'status', status: 521 }, /the provider does not answer: .+\. Run again later\.$/],
  ])('%s: nothing further is tried, nothing is left', async (_, match, action, line) => {
    const customer = await account('hubspot');
    await customer.fault({ match, times: 0, action });
    const { code, text } = await customer.certify();
    expect(lines(text)).toEqual([expect.stringMatching(line)]);
    expect(text).not.toMatch(/update: /);
    expect([code, await customer.records()]).toEqual([3, []]);
  });

  it('a limit that has room again is waited for', async () => {
    const customer = await account('hubspot');
    await customer.fault({ match: creates, times: 2, action: { kind: 'quota' } });
    const { code, text } = await customer.certify();
    expect([code, lines(text), await customer.records()]).toEqual([0, [], []]);
  });
});

describe('exit code 2, and nothing is sent', () => {
  it.each<[string, object, Parameters<typeof certify>[1], string]>([
    ['hubspot', { HUBSPOT_ACCESS_TOKEN: ' ' }, {}, 'HUBSPOT_ACCESS_TOKEN: not set.'],
    [
      'nobody',
      {},
      {},
      'nobody: there is no such provider; the nearest are zoho, box, coda; GET /v1/providers lists all. More from SLUICE_PROVIDERS_DIR.',
    ],
    ['close', {}, {}, 'close: records cannot be deleted through Sluice. With --leave a few stay in the account.'],
    [
      'freshdesk',
      {},
      { leave: true },
      "FRESHDESK_WORKSPACE: not set; it is the account's part of https://{workspace}.freshdesk.com/api/v2.",
    ],
    [
      'zoho',
      {},
      { words: { object: 'Leads' } },
      '--object and what goes with it: only for a provider of SLUICE_PROVIDERS_DIR, not for zoho.',
    ],
    ...[
      'https://api.hubapi.com.evil.example',
      'http://127.0.0.1.evil.example',
      'http://localhost@evil.example/',
      'http://user:pass@127.0.0.1:4600',
      'http://169.254.169.254/',
      'http://[::ffff:10.0.0.1]/',
      'http://api.hubapi.com',
      'ftp://127.0.0.1/',
      '127.0.0.1:4600',
      // Neither the provider nor this machine: the token would go there.
    ].map((url): [string, object, object, string] => ['hubspot', {}, { url }, `--url: must be `]),
  ])('%s %j %j', async (provider, env, asked, line) => {
    const refused = certify(provider, { env: { [tokenNameOf(provider)]: 'secret-token-1', ...env }, ...asked });
    await expect(refused).rejects.toThrow(line);
    await expect(refused).rejects.toBeInstanceOf(NotCertifiable);
    await expect(refused).rejects.not.toThrow('secret-token-1');
  });

  it('of the command, with the option that it does not know', async () => {
    const { code, text } = await command(['hubspot', '--keep-ids']).ended;
    expect([code, text]).toEqual([
      2,
      expect.stringMatching(/^Unknown option '--keep-ids'[^]*\nnpm run certify -- hubspot/),
    ]);
  });
});
