import { checkForwardedHeaders } from './write-request';
import { limits } from './limits';

const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: 'v' }));

describe('checkForwardedHeaders', () => {
  it.each([
    ['Sforce-Duplicate-Rule-Header', 'allowSave=true'],
    ["x-!#$%&'*+.^_`|~9", 'a b\tc'],
    ['x-empty', ''],
  ])('takes %s: %s', (key, value) => {
    expect(checkForwardedHeaders([{ key, value }])).toEqual([]);
  });

  it.each(['', 'a b', 'a:b', 'ä', 'a\r\nb', 'a\0', ':path'])('refuses the name %j', (key) => {
    expect(checkForwardedHeaders([{ key, value: 'v' }])).toMatchObject([
      { name: 'headers[0].key', detail: 'must be a header name (RFC 7230)' },
    ]);
  });

  // A newline in a value would smuggle a header or a request into the provider call.
  it.each(['a\r\nx-b: c', 'a\nb', 'ä', ' a', 'a ', '\t', 'a\0b', 'a\x7f'])('refuses the value %j', (value) => {
    const issues = checkForwardedHeaders([
      { key: 'x-a', value: 'fine' },
      { key: 'x-b', value },
    ]);
    expect(issues).toEqual([{ in: 'body', name: 'headers[1].value', detail: 'must be visible ASCII characters' }]);
  });

  // A matrix of 40. One case per reason to refuse a name.
  it.each(
    [
      'Host Connection keep-alive Transfer-Encoding TE Trailer Upgrade Expect HTTP2-Settings',
      'Proxy-Authorization proxy-authenticate Proxy-Connection',
      'authorization AUTHORIZATION Cookie Cookie2 Set-Cookie',
      'Content-Type content-length Content-Encoding content- Accept Accept-Encoding accept-charset',
      'Via Forwarded X-Forwarded-For x-forwarded-host x-forwarded- X-Real-IP',
      'X-HTTP-Method-Override x-http-method X-Method-Override',
      'X-Api-Key Idempotency-Key Sluice-Record-Ref X-Sluice-Request-Type x-request-id',
      'traceparent tracestate baggage',
      'User-Agent user-agent',
    ].flatMap((names) => names.split(' ')),
  )('[sec-20] does not forward %s', (key) => {
    expect(checkForwardedHeaders([{ key, value: 'v' }])).toEqual([
      { in: 'body', name: 'headers[0].key', detail: 'is a header that is not forwarded', value: key },
    ]);
  });

  it.each(['Accept-Language', 'User-Agents', 'hostname', 'contents', 'x-forward', 'x-via'])('forwards %s', (key) => {
    expect(checkForwardedHeaders([{ key, value: 'v' }])).toEqual([]);
  });

  it('takes names of 200 characters', () => {
    const named = (length: number) => checkForwardedHeaders([{ key: 'x'.repeat(length), value: 'v' }]);
    expect(named(200)).toEqual([]);
    expect(named(201)).toEqual([
      { in: 'body', name: 'headers[0].key', detail: 'must have at most 200 characters', value: 201 },
    ]);
  });

  it('takes each name once, whatever its case', () => {
    const headers = [
      { key: 'x-a', value: '1' },
      { key: 'x-b', value: '1' },
      { key: 'X-A', value: '2' },
    ];
    expect(checkForwardedHeaders(headers)).toEqual([
      { in: 'body', name: 'headers[2].key', detail: 'repeats headers[0]', value: 'x-a' },
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
