import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';
import { limits } from './limits';
import { pathOf } from './field-names';
import type { ForwardedHeader } from './write-request';

/** A token of RFC 7230, section 3.2.6. */
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Visible ASCII; blanks and tabs inside. Other bytes are obsolete in RFC 7230, section 3.2. */
const valueForm = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;

/**
 * Headers that belong to the connection to the provider, to its credentials or to our body.
 * Source: design 6; `keep-alive` is hop-by-hop too (RFC 9110, section 7.6.1).
 */
const refused =
  /^(host|authorization|cookie|content-.*|transfer-encoding|connection|keep-alive|proxy-.*|x-forwarded-.*|expect|te|trailer|upgrade)$/i;

/** Rules of forwarded headers: names, values, refused names, 20 of them, 8 KB together. Source: design 6. */
export function checkForwardedHeaders(headers: readonly ForwardedHeader[]): Issue[] {
  const issues = headers.flatMap((header, index) => checkHeader(header, pathOf('headers', index)));
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
  if (!nameForm.test(key)) issues.push(bodyIssue(`${path}.key`, 'must be a header name (RFC 7230)', key.slice(0, 80)));
  else if (refused.test(key)) issues.push(bodyIssue(`${path}.key`, 'is a header that is not forwarded', key));
  if (value !== '' && !valueForm.test(value))
    issues.push(bodyIssue(`${path}.value`, 'must be visible ASCII characters'));
  return issues;
}
