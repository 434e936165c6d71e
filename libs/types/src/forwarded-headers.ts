import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import { limits } from './limits';
import { pathOf } from './field-names';
import type { ForwardedHeader } from './write-request';

const { forwardedHeaderNameCharactersMax: nameMax } = limits;

/** A token of RFC 7230, section 3.2.6. */
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII; blanks and tabs inside. Other bytes are obsolete in RFC 7230, section 3.2. */
const valueForm = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Headers that a caller may not set: those of the connection to the provider (hop-by-hop, RFC 9110, section 7.6.1), of its
 * credentials, of our body and of the reply's form, of the route there, those that turn the method into another, those
 * that mean something to this service, and who asks, which is us.
 */
const refused: readonly RegExp[] = [
  /^(host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|http2-settings|proxy-.*)$/,
  /^(authorization|cookie2?|set-cookie)$/,
  /^(content-.*|accept|accept-encoding|accept-charset)$/,
  /^(via|forwarded|x-forwarded-.*|x-real-ip)$/,
  /^x-(http-)?method(-override)?$/,
  /^(x-api-key|idempotency-key|sluice-.*|x-sluice-.*|x-request-id|traceparent|tracestate|baggage)$/,
  /^user-agent$/,
];

/**
 * Rules of forwarded headers: names, values, refused names, each once, 20 of them, 8 KB together. The one list: what a request
 * may carry, and what a connector sends of a request that was stored earlier. Source: design 6.
 */
export function checkForwardedHeaders(headers: readonly ForwardedHeader[]): Issue[] {
  const issues = headers.flatMap((header, index) => [
    ...checkHeader(header, pathOf('headers', index)),
    ...checkOnce(headers, index),
  ]);
  const bytes = headers.reduce((sum, { key, value }) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  if (headers.length > limits.forwardedHeadersMax) {
    issues.push(bodyIssue('headers', `must have at most ${limits.forwardedHeadersMax} items`, headers.length));
  }
  if (bytes > limits.forwardedHeadersBytesMax) {
    issues.push(
      bodyIssue(
        'headers',
        `must have at most ${limits.forwardedHeadersBytesMax} bytes of names and values together`,
        bytes,
      ),
    );
  }
  return issues;
}

// Values are never shown: a header may carry a secret.
function checkHeader({ key, value }: ForwardedHeader, path: string): Issue[] {
  const issues: Issue[] = [];
  if (key.length > nameMax)
    issues.push(bodyIssue(`${path}.key`, `must have at most ${nameMax} characters`, key.length));
  else if (!nameForm.test(key))
    issues.push(bodyIssue(`${path}.key`, 'must be a header name (RFC 7230)', key.slice(0, 80)));
  else if (isRefused(key)) issues.push(bodyIssue(`${path}.key`, 'is a header that is not forwarded', key));
  if (value !== '' && !valueForm.test(value))
    issues.push(bodyIssue(`${path}.value`, 'must be visible ASCII characters'));
  return issues;
}

function isRefused(key: string): boolean {
  const name = key.toLowerCase();
  return refused.some((form) => form.test(name));
}

/** Which of two values would count is the provider's secret. */
function checkOnce(headers: readonly ForwardedHeader[], index: number): Issue[] {
  const name = headers[index]?.key.toLowerCase();
  const first = headers.findIndex(({ key }) => key.toLowerCase() === name);
  return first === index ? [] : [bodyIssue(`${pathOf('headers', index)}.key`, `repeats headers[${first}]`, name)];
}
