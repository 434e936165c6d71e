import { instanceOf, tokenOriginOf, workspaceRefOf } from './call-salesforce';

describe('[sec-15] where an account is', () => {
  test.each([
    ['acme', 'https://acme.my.salesforce.com'],
    ['ACME--Uat.sandbox', 'https://acme--uat.sandbox.my.salesforce.com'],
    ['acme-dev-ed.develop', 'https://acme-dev-ed.develop.my.salesforce.com'],
  ])('%s', (ref, origin) => {
    expect(instanceOf(ref, undefined)).toEqual({ ok: true, origin });
  });

  test.each([
    'evil.com/',
    'a@b',
    'a%2fb',
    'a\\b',
    'a。b',
    'ａｃｍｅ',
    'a:8080',
    'a?b',
    'a#b',
    '',
    '.',
    'a..b',
    '.a',
    'a.',
    'a b',
    'a\nb',
    'a.b.c.d.e',
    'x'.repeat(64),
    '../x',
    'acme.my.salesforce.com',
  ])('refuses %j', (ref) => {
    const instance = instanceOf(ref, undefined);
    expect(instance).toMatchObject({ ok: false });
    expect(instance.ok ? '' : instance.message).toContain('part of the My Domain before .my.salesforce.com');
  });

  test('without a workspace it names the setting; the override replaces all', () => {
    expect(instanceOf(undefined, undefined)).toMatchObject({
      message: expect.stringContaining('providerWorkspaceRef is not set on the connection'),
    });
    expect(instanceOf('anything/', 'http://127.0.0.1:4600')).toEqual({ ok: true, origin: 'http://127.0.0.1:4600' });
  });

  test.each([
    ['https://acme.my.salesforce.com/services/data/v{version}/', 'acme'],
    ['https://Acme--Uat.sandbox.my.salesforce.com', 'acme--uat.sandbox'],
    ['https://na1.salesforce.com/', undefined],
    ['https://acme.my.salesforce.com.evil.com/', undefined],
    ['https://.my.salesforce.com/', undefined],
    ['no url', undefined],
    [undefined, undefined],
  ])('the workspace of %s', (url, expected) => {
    expect(workspaceRefOf(url)).toBe(expected);
  });
});

test("tokens of a customer's sandbox are not refreshed at the production login", () => {
  expect(tokenOriginOf('acme--uat.sandbox', undefined)).toBe('https://acme--uat.sandbox.my.salesforce.com');
  expect(tokenOriginOf('acme', undefined)).toBeUndefined();
  expect(tokenOriginOf(undefined, undefined)).toBeUndefined();
  expect(tokenOriginOf('a--b/evil', undefined)).toBeUndefined();
  expect(tokenOriginOf('acme--uat.sandbox', 'http://127.0.0.1:4600')).toBeUndefined();
});
