import { checkWorkspaceRef, isSameWorkspace } from './workspace-metadata';

describe('checkWorkspaceRef [sec-15] [sec-44]', () => {
  it.each([undefined, '4711', 'Acme--uat.sandbox', 'a'.repeat(63), 'a.b.c.d.e.f.g.h'])('takes %s', (ref) => {
    expect(checkWorkspaceRef(ref)).toEqual([]);
  });

  // What would lead a token to another host.
  it.each([
    '',
    '.',
    'acme.',
    '.acme',
    'a..b',
    'evil.com/',
    'a@b',
    'acme%2f',
    'a\\b',
    'acme:8080',
    'acme?x',
    'acme#x',
    'acme evil',
    'acme\u3002evil',
    '\u0430cme',
    'a\u0000',
    'a\nb',
    'a'.repeat(64),
    'a.b.c.d.e.f.g.h.i',
    '[::1]',
  ])('refuses %j', (ref) => {
    expect(checkWorkspaceRef(ref)).toMatchObject([{ name: 'providerWorkspaceRef' }]);
  });
});

it('knows one workspace in any case', () => {
  expect(isSameWorkspace('Acme', 'acme')).toBe(true);
  expect(isSameWorkspace('acme', 'acme2')).toBe(false);
});
