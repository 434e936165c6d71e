import type { Declaration } from './declaration';
import { loadDeclarations } from './load-declarations';
import { returnedAddress } from './variables';

const zoho = loadDeclarations().find(({ name }) => name === 'zoho');
if (zoho === undefined) throw new Error('there is no file of zoho');

const server = 'accounts-server';
const addresses = [
  ['us', 'https://accounts.zoho.com', 'com'],
  ['eu', 'https://accounts.zoho.eu', 'eu'],
  ['in', 'https://accounts.zoho.in', 'in'],
  ['au', 'https://accounts.zoho.com.au', 'com.au'],
  ['jp', 'https://accounts.zoho.jp', 'jp'],
  ['cn', 'https://accounts.zoho.com.cn', 'com.cn'],
  ['sa', 'https://accounts.zoho.sa', 'sa'],
  ['ca', 'https://accounts.zohocloud.ca', 'ca'],
] as const;

it('every data centre of the file is one that a return can name', () => {
  expect(addresses.map(([, , region]) => region)).toEqual(zoho.variables?.['region']?.oneOf);
});

it.each(addresses)(
  'a return of location=%s and accounts-server=%s is of the region %s, by either',
  (location, at, region) => {
    const said = { ok: true, metadata: { region } };
    expect(returnedAddress(zoho, { code: 'c', state: 's', location, [server]: at })).toEqual(said);
    expect(returnedAddress(zoho, { location })).toEqual(said);
    expect(returnedAddress(zoho, { [server]: at })).toEqual(said);
  },
);

it('a callback without them names no address', () => {
  expect(returnedAddress(zoho, { code: 'c', state: 's', region: 'eu' })).toEqual({ ok: true, metadata: {} });
});

const locations = 'one of us, eu, in, au, jp, cn, sa, ca';
const servers = `one of ${addresses.map(([, at]) => at).join(', ')}`;

// A code and the secret of an app go there: what is none of the listed ones is none, in whatever dress.
it.each([
  'https://evil.example',
  'https://accounts.zoho.evil.example',
  'https://accounts.zoho.eu.evil.example',
  'https://accounts.zoho.eu@evil.example',
  'https://evil.example/https://accounts.zoho.eu',
  'https://accounts.zoho.eu/',
  'https://accounts.zoho.eu:8443',
  'https://accounts.zoho.EU',
  'https://accounts.zoho.eu\n',
  ' https://accounts.zoho.eu',
  'https%3A%2F%2Faccounts.zoho.eu',
  'https://accounts.zoho.',
  'https://accounts.zoho.__proto__',
  'https://accounts.zoho.ca',
  'https://accounts.zohocloud.eu',
  'https://accounts.zohocloud.ca.evil.example',
  'https://accounts.zohocloud.ca@evil.example',
  'https://accounts.zohocloud.ca/',
  'https://zohocloud.ca',
  'https://accounts.zoho.uk',
  'http://accounts.zoho.eu',
  'http://169.254.169.254',
  'accounts.zoho.eu',
  'eu',
  '',
])('an accounts-server like %j is refused', (at) => {
  for (const beside of [{}, { location: 'eu' }] as Readonly<Record<string, string>>[]) {
    const refused = { ok: false, parameter: server, rule: servers, value: at.replace('\n', ' ') };
    expect(returnedAddress(zoho, { ...beside, [server]: at })).toEqual(refused);
  }
});

it.each(['uk', 'CA', 'EU', 'com', 'eu ', '', '__proto__', 'constructor', 'x'.repeat(500)])(
  'a location like %j is refused, also beside a server that is one',
  (location) => {
    for (const beside of [{}, { [server]: 'https://accounts.zoho.eu' }] as Readonly<Record<string, string>>[]) {
      const refused = { ok: false, parameter: 'location', rule: locations, value: location.slice(0, 80) };
      expect(returnedAddress(zoho, { location, ...beside })).toEqual(refused);
    }
  },
);

it('two that do not agree are refused, though each is one', () => {
  expect(returnedAddress(zoho, { location: 'eu', [server]: 'https://accounts.zoho.in' })).toEqual({
    ok: false,
    parameter: server,
    rule: "https://accounts.zoho.eu, as location is 'eu'",
    value: 'https://accounts.zoho.in',
  });
});

it('a value without a word is refused, with that reason', () => {
  const returned = [
    { parameter: 'at', form: '{value}.example' },
    { parameter: 'word', values: { a: 'one' } },
  ];
  const file = { ...zoho, variables: { region: { from: 'metadata', returned } } } satisfies Declaration;
  expect(returnedAddress(file, { at: 'two.example', word: 'a' })).toMatchObject({
    parameter: 'word',
    rule: "absent, as at is 'two.example'",
  });
  expect(returnedAddress(file, { at: 'a.b.example' })).toMatchObject({
    parameter: 'at',
    rule: 'one of {value}.example',
  });
});
