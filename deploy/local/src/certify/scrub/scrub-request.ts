import type { RecordedExchange } from '../recording';
import type { Scrubber } from './scrub-value';

/** A request as a replay sends it again: its constants are ours, its ids came from replies. */
export function scrubRequest(scrubber: Scrubber, { method, path, body, headers }: RecordedExchange['request']) {
  return {
    method,
    path: scrubPath(scrubber, path),
    ...(body !== undefined && { body: scrubber.sent(body) }),
    ...(headers && { headers: scrubber.sent(headers) as Readonly<Record<string, string>> }),
  };
}

function scrubPath(scrubber: Scrubber, path: string): string {
  const [steps = '', ...queries] = path.split('?');
  const scrubbed = steps.split('/').map((step) => within(step, (text) => scrubber.word(text)));
  const query = queries
    .join('?')
    .split('&')
    .map((pair) => scrubPair(scrubber, pair));
  return scrubbed.join('/') + (queries.length === 0 ? '' : `?${query.join('&')}`);
}

function scrubPair(scrubber: Scrubber, pair: string): string {
  const [name = '', ...values] = pair.split('=');
  const value = within(values.join('='), (text) => scrubber.sentence(text));
  return within(name, (text) => scrubber.word(text)) + (values.length === 0 ? '' : `=${value}`);
}

/** Keeps the escapes of a part as they were sent, unless something in it is replaced. */
function within(encoded: string, scrubbed: (text: string) => string): string {
  if (encoded === '') return '';
  const text = decoded(encoded);
  const result = scrubbed(text);
  if (result === text) return encoded;
  // As a form has it where the part was sent so: a space is "+" there.
  return /[+]/.test(encoded) || /%2[789]|%21|%2A/i.test(encoded)
    ? new URLSearchParams([['', result]]).toString().slice(1)
    : encodeURIComponent(result);
}

function decoded(encoded: string): string {
  try {
    return decodeURIComponent(encoded.replaceAll('+', '%20'));
  } catch {
    return encoded;
  }
}
