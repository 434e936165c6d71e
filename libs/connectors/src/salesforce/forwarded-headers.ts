import type { ForwardedHeader } from '@sluice/types';

/** A token of RFC 7230, section 3.2.6, and visible ASCII: what a header can carry without ending it. */
const nameForm = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const valueForm = /^[\t\x20-\x7e]*$/;

/**
 * Headers of the connection, of the credentials, of our body and of our own request. Requests are checked when they
 * are accepted; here nothing can pass that was stored before a rule. Source: reference B6; reliability checklist, item 20.
 */
const reserved =
  /^(:.*|host|authorization|cookie|content-.*|transfer-encoding|connection|keep-alive|proxy-.*|x-forwarded-.*|forwarded|via|expect|te|trailer|upgrade|accept|accept-encoding|user-agent|traceparent|tracestate)$/i;

/** Why the caller's headers cannot go along; undefined when they can. Values are never shown: they may be secrets. */
export function refusedHeader(headers: readonly ForwardedHeader[]): string | undefined {
  for (const { key, value } of headers) {
    const name = key.slice(0, 80);
    if (!nameForm.test(key) || !valueForm.test(value)) return `the header '${name}' has characters no header can carry`;
    if (reserved.test(key)) return `the header '${name}' is not forwarded to Salesforce`;
  }
  return undefined;
}
