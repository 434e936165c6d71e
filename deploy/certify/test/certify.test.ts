import { readFileSync } from 'node:fs';
import {
  account,
  certifySuite,
  command,
  inDataDir,
  providers,
  sandboxUrl,
  tokenNameOf,
  unfinished,
} from './certify-account';

certifySuite();

it.each(['hubspot', 'salesforce'])(
  '%s: as we say, nothing left, and a recording without the token that replays',
  async (provider) => {
    const customer = await account(provider);
    const file = inDataDir('out.json');
    const { code, text } = await customer.certify('--out', file).ended;
    expect(text).toMatch(/\n\d+ ok, 0 differ, \d not tried\nnothing is left in the account\n/);
    expect(text).toMatch(/\d+ exchanges, scrubbed, replays to the same findings: /);
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
    expect(unfinished()).toEqual([]);
    for (const seen of [text, readFileSync(file, 'utf8')]) expect(seen).not.toContain(customer.token);
  },
);

it.each(providers.filter((provider) => !['hubspot', 'salesforce'].includes(provider)))(
  '%s: as we say, its update read back by a search; the one record stays as asked, and is told',
  async (provider) => {
    const customer = await account(provider);
    const { code, text } = await customer.certify('--leave').ended;
    expect(text).toMatch(/^update +the field that was sent, and no other +the field that was sent, and no other +ok$/m);
    expect(text).toMatch(
      /, 0 differ, \d+ not tried\nstays in the account, as asked: \S+\n[^]*replays to the same findings/,
    );
    expect(code).toBe(0);
    const [record, ...more] = (await customer.records()) as { id: string }[];
    expect(more).toEqual([]);
    expect(text).toContain(`delete by hand: ${record?.id}`);
    expect(unfinished()).toEqual([]);
  },
);

it('an account that does something else: it differs, exit code 1, and nothing is left', async () => {
  const customer = await account('hubspot');
  const body = { status: 'error', message: 'no updates here', category: 'VALIDATION_ERROR' };
  await customer.fault({ match: { method: 'PATCH' }, action: { kind: 'status', status: 400, body } });
  const { code, text } = await customer.certify().ended;
  expect(text).toMatch(/^update +the field that was sent, and no other +rejected: no updates here +differs$/m);
  expect(code).toBe(1);
  expect(await customer.records()).toEqual([]);
});

it('an account that keeps a record that it says it deleted: it differs, and what is left is named', async () => {
  const customer = await account('hubspot');
  const match = { method: 'DELETE', path: '^/crm/v3/objects/contacts/' };
  await customer.fault({ match, action: { kind: 'status', status: 204 } });
  const { code, text } = await customer.certify().ended;
  const [record, ...more] = (await customer.records()) as { id: string }[];
  expect(more).toEqual([]);
  expect(text).toMatch(new RegExp(`^nothing is left .* ${record?.id} +differs$`, 'm'));
  expect(text).toContain('LEFT IN THE ACCOUNT: ');
  expect([code, unfinished().length]).toEqual([1, 1]);
});

describe('associations', () => {
  it('of an account that makes none: it differs, and what was to be linked is removed', async () => {
    const customer = await account('hubspot');
    const body = { status: 'error', message: 'no links here', category: 'VALIDATION_ERROR' };
    const match = { method: 'POST', path: '^/crm/v4/associations/contacts/companies/batch/create$' };
    await customer.fault({ match, action: { kind: 'status', status: 400, body } });
    const { code, text } = await customer.certify().ended;
    expect(text).toMatch(/^create with an association +linked, as a search shows +linked, as a search shows +ok$/m);
    expect(text).toMatch(
      /^update with an association +linked, as a search shows +rejected: .*no links here +differs$/m,
    );
    expect(code).toBe(1);
    expect(await customer.records()).toEqual([]);
  });

  it('of a token that may not write companies: not tried, and the rest as we say', async () => {
    const customer = await account('hubspot');
    const body = { status: 'error', message: 'This app hasn’t been granted the scopes', category: 'MISSING_SCOPES' };
    const match = { path: '^/crm/v3/objects/companies' };
    await customer.fault({ match, times: 0, action: { kind: 'status', status: 403, body } });
    const { code, text } = await customer.certify().ended;
    expect(text).toMatch(/^a record to link to +one, with its id +the token may not write companies: .* +not tried$/m);
    expect(text).toMatch(/^update with an association .* there is no record to link to +not tried$/m);
    expect(text).toMatch(/\n\d+ ok, 0 differ, \d not tried\nnothing is left in the account\n/);
    expect(code).toBe(0);
    const cleaned = await customer.certify('--clean').ended;
    expect(cleaned.text).toMatch(/^companies: the token may not search for records that are left\n/);
  });
});

it('an update of all or none of which a part is made: it differs', async () => {
  const customer = await account('salesforce');
  const refusal = { statusCode: 'INVALID_CROSS_REFERENCE_KEY', message: 'invalid cross reference id', fields: [] };
  const made = { id: '003000000000001AAA', success: true, errors: [] };
  const body = [made, { success: false, errors: [refusal] }, { ...made, id: '003000000000002AAA' }];
  const match = { method: 'PATCH', path: '^/services/data/v[0-9.]+/composite/sobjects', nth: 2 };
  await customer.fault({ match, action: { kind: 'status', status: 200, body } });
  const { code, text } = await customer.certify().ended;
  expect(text).toMatch(/^batch update, all or none +one refused, none written +\S+, not-found, \S+ +differs$/m);
  expect(code).toBe(1);
});

describe('an account that says that it made no record, and has it', () => {
  const body = { status: 'error', message: 'no creates here', category: 'VALIDATION_ERROR' };
  const action = { kind: 'commit-then-status', status: 400, body };

  it('hubspot: it differs, and the record is removed', async () => {
    const customer = await account('hubspot');
    await customer.fault({ match: { method: 'POST', path: '^/crm/v3/objects/contacts$' }, action });
    const { code, text } = await customer.certify().ended;
    expect(text).toMatch(/^what was refused +was not written +sluice-certify-\S+-1 is there, as \d+ +differs$/m);
    expect(code).toBe(1);
    expect(await customer.records()).toEqual([]);
  });

  it('pipedrive: it differs, and the record that stays is reported', async () => {
    const customer = await account('pipedrive');
    await customer.fault({ match: { method: 'POST', path: '^/rest/pipedrive/.*/persons$' }, action });
    const { code, text } = await customer.certify('--leave').ended;
    const [record] = (await customer.records()) as { id: string }[];
    expect(text).toMatch(/^what was refused +was not written +sluice-certify-\S+-1 is there, as \d+ +differs$/m);
    expect(text).toContain(`delete by hand: ${record?.id}`);
    expect(code).toBe(1);
  });
});

describe('below the report', () => {
  it.each([
    ['hubspot', 'contacts', /createdate \(datetime, read-only\)/, '409 "Contact already exists. Existing ID: '],
    ['salesforce', 'Contact', /LastName \(string, required\)/, "400 \"No such column 'sluice_no_such_field'"],
    // What it refuses is a 2xx.
    ['zoho', 'Leads', /Last_Name \(text, required\)/, '200 "INVALID_DATA" "invalid data" => rejected'],
  ])('%s: the fields of %s whole, and its answers beside what we make of them', async (provider, object, one, said) => {
    const { text } = await (await account(provider)).certify('--leave').ended;
    const [, listed = '', answers = ''] = text.split(/^(?:fields of .*:|what the provider answered.*:)$/m);
    expect(text).toMatch(new RegExp(`^fields of ${object}, \\d+:$`, 'm'));
    expect(listed).toMatch(one);
    expect(answers).toContain(said);
    expect(answers).toMatch(/^ {2}update of what is not there: \w+ \S+: \d{3} ".*" => not-found$/m);
  });

  it('a whole list of scopes, and no token that a provider repeats', async () => {
    const customer = await account('hubspot');
    const body = {
      status: 'error',
      message: `no updates for ${customer.token}\u001b[2J`,
      category: 'VALIDATION_ERROR',
    };
    await customer.fault({ match: { method: 'PATCH' }, action: { kind: 'status', status: 400, body } });
    const { text } = await customer.certify().ended;
    expect(text).toMatch(/^scopes of the token, 10:\n(?: {2}.*\n)*.*crm\.schemas\.deals\.read, oauth$/m);
    expect(text).toMatch(/^ {2}update: PATCH \S+: 400 "no updates for .* => differs$/m);
    expect(text).not.toContain(customer.token);
    expect(text).not.toContain('\u001b');
  });
});

describe('calls nobody', () => {
  it.each([
    ['without a token', 'hubspot', { HUBSPOT_ACCESS_TOKEN: ' ' }, [], 'HUBSPOT_ACCESS_TOKEN: not set.'],
    [
      'for a provider that is not there',
      'nobody',
      {},
      [],
      'nobody: there is no such provider; known: hubspot, salesforce, close, freshdesk, klaviyo, pipedrive, zendeskSupport, zoho. More from SLUICE_PROVIDERS_DIR.',
    ],
    [
      'where the record could not be deleted',
      'close',
      {},
      [],
      'close: records cannot be deleted through Sluice. With --leave one stays in the account.',
    ],
    [
      'for an account without its host',
      'freshdesk',
      { FRESHDESK_WORKSPACE: '' },
      ['--leave'],
      "FRESHDESK_WORKSPACE: not set; it is the account's part of https://{workspace}.freshdesk.com/api/v2.",
    ],
    [
      'for a file’s flags with a provider that comes along',
      'zoho',
      {},
      ['--object', 'Leads'],
      '--object and what goes with it: only for a provider of SLUICE_PROVIDERS_DIR, not for zoho.',
    ],
  ])('%s: exit code 2', async (...[, provider, env, more, line]) => {
    const access = { [tokenNameOf(provider)]: 'secret-token-1', ...env };
    const { code, text } = await command(provider, access, more).ended;
    expect([code, text]).toEqual([2, `${line}\n`]);
  });

  it.each([
    ['http://sandbox.example:4600'],
    ['https://api.hubapi.com.evil.example'],
    ['http://127.0.0.1.evil.example'],
    ['http://localhost@evil.example/'],
    ['http://user:pass@127.0.0.1:4600'],
    ['http://169.254.169.254/'],
    ['http://[::ffff:10.0.0.1]/'],
    ['http://api.hubapi.com'],
    ['https://api.hubapi.com:8443'],
    ['ftp://127.0.0.1/'],
    ['127.0.0.1:4600'],
  ])('at %s, which is neither the provider nor this machine: the token would go there', async (url) => {
    const { code, text } = await command('hubspot', { HUBSPOT_ACCESS_TOKEN: 'secret-token-1' }, ['--url', url]).ended;
    expect(text).toMatch(/^--url: must be .*, not '.*'.*\n$/);
    expect(text).toContain(url);
    expect(text).not.toContain('secret-token-1');
    expect(code).toBe(2);
  });
});

it('the sandbox may be named in other ways', async () => {
  const customer = await account('close');
  const url = sandboxUrl().replace('127.0.0.1', 'localhost');
  const { code } = await command('close', customer.access, ['--leave', '--url', `${url}/`]).ended;
  expect(code).toBe(0);
});
