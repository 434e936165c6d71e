import { checkForwardedHeaders, type ForwardedHeader } from '@sluice/types';

/**
 * Why the caller's headers cannot go along; undefined when they can. Requests are checked by the same rules when they are
 * accepted; here nothing can pass that was stored before a rule. Values are never shown: they may be secrets.
 */
export function refusedHeader(headers: readonly ForwardedHeader[]): string | undefined {
  const [issue] = checkForwardedHeaders(headers);
  if (issue === undefined) return undefined;
  const { name, detail, value } = issue;
  return `${name} ${detail}${value === undefined ? '' : `: ${JSON.stringify(value)}`}`;
}
