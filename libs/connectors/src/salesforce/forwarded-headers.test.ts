import { refusedHeader } from './forwarded-headers';

test('headers that cannot go along', () => {
  const header = (key: string, value = 'x') => refusedHeader([{ key, value }]);
  for (const key of ['Sforce-Auto-Assign', 'Sforce-Duplicate-Rule-Header', 'If-Match', 'x-sfdc-packageversion-ns']) {
    expect(header(key)).toBeUndefined();
  }
  for (const key of [
    'Authorization',
    'HOST',
    'content-type',
    'Content-Length',
    'Transfer-Encoding',
    'connection',
    'Cookie',
    'Accept',
    'traceparent',
    'User-Agent',
    'Expect',
    'TE',
    ':path',
    'via',
  ]) {
    expect(header(key)).toBeDefined();
  }
  expect(header('a b')).toContain('characters no header can carry');
  expect(header('Sforce-Mru', 'a\r\nHost: evil')).toContain('characters no header can carry');
  expect(header('Sforce-Mru', 'secret\n')).not.toContain('secret');
});
