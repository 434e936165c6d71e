import { checkForwardedHeaders } from './forwarded-headers';
import { limits } from './limits';

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: 'v' }));

describe('checkForwardedHeaders', () => {
  it.each([
    ['Sforce-Duplicate-Rule-Header', 'allowSave=true'],
    ["x-!#$%&'*+.^_`|~9", 'a b\tc'],
    ['x-empty', ''],
    ['contents', 'v'],
    ['x-forward', 'v'],
  ])('takes %s: %s', (key, value) => {
    expect(checkForwardedHeaders([{ key, value }])).toEqual([]);
  });

  it.each(['', 'a b', 'a:b', 'ä', 'a\r\nb', 'a\0'])('refuses the name %j', (key) => {
    expect(checkForwardedHeaders([{ key, value: 'v' }])).toMatchObject([{ name: 'headers[0].key' }]);
  });

  // A newline in a value would smuggle a header or a request into the provider call.
  it.each(['a\r\nx-b: c', 'a\nb', 'ä', ' a', 'a ', '\t', 'a\0b', 'a\x7f'])('refuses the value %j', (value) => {
    const issues = checkForwardedHeaders([
      { key: 'x-a', value: 'fine' },
      { key: 'x-b', value },
    ]);
    expect(issues).toEqual([{ in: 'body', name: 'headers[1].value', detail: 'must be visible ASCII characters' }]);
  });

  it.each([
    'Host',
    'authorization',
    'Cookie',
    'Content-Type',
    'content-length',
    'Transfer-Encoding',
    'Connection',
    'keep-alive',
    'Proxy-Authorization',
    'X-Forwarded-For',
    'Expect',
    'TE',
    'Trailer',
    'Upgrade',
  ])('does not forward %s', (key) => {
    expect(checkForwardedHeaders([{ key, value: 'v' }])).toMatchObject([
      { detail: 'is a header that is not forwarded' },
    ]);
  });

  it('takes 20 of them', () => {
    expect(checkForwardedHeaders(many(limits.forwardedHeadersMax))).toEqual([]);
    expect(checkForwardedHeaders(many(limits.forwardedHeadersMax + 1))).toMatchObject([{ name: 'headers', value: 21 }]);
  });

  it('takes 8 KB together', () => {
    const value = 'v'.repeat(limits.forwardedHeadersBytesMax - 3);
    expect(checkForwardedHeaders([{ key: 'x-a', value }])).toEqual([]);
    expect(checkForwardedHeaders([{ key: 'x-ab', value }])).toMatchObject([{ name: 'headers', value: 8193 }]);
  });
});
