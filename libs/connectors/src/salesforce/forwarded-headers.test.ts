import { refusedHeader } from './call-salesforce';

const header = (key: string, value = 'x') => refusedHeader([{ key, value }]);

it.each(['Sforce-Auto-Assign', 'Sforce-Duplicate-Rule-Header', 'If-Match', 'x-sfdc-packageversion-ns'])(
  '%s goes along',
  (key) => {
    expect(header(key)).toBeUndefined();
  },
);

it.each([
  'Authorization',
  'HOST',
  'content-type',
  'Transfer-Encoding',
  'Cookie',
  'Accept',
  'traceparent',
  'User-Agent',
])('%s does not, and is named', (key) => {
  expect(header(key)).toBe(`headers[0].key is a header that is not forwarded: "${key}"`);
});

// The rules are those of a request (libs/types): no header is accepted there and refused here, or the other way round.
it.each(['a b', ':path', 'a\r\nb', 'x'.repeat(201)])('%j is no name', (key) => {
  expect(header(key)).toMatch(/^headers\[0\]\.key must/);
});

it('a value is refused and never shown', () => {
  expect(header('Sforce-Mru', 'a\r\nHost: evil')).toBe('headers[0].value must be visible ASCII characters');
  expect(header('Sforce-Mru', 'secret\n')).not.toContain('secret');
});
