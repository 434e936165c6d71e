const moments = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** `3 minutes ago`, `in 12 seconds`. */
export function fromNow(moment: string, now = Date.now()): string {
  const ms = Date.parse(moment) - now;
  const [unit, length] = units.find(([, size]) => Math.abs(ms) >= size) ?? (['second', 1_000] as const);
  return relative.format(Math.round(ms / length), unit);
}

/** The moment in the reader's own zone and manner. */
export function inFull(moment: string): string {
  return moments.format(new Date(moment));
}

/** The end of an id: ids of one day begin alike. */
export function shortId(id: string): string {
  return id.slice(-8);
}

/** `1,000+` for a count of more than the most, and for one that is not known to the end. */
export function atMost(count: number, most: number, isAtLeast = false): string {
  const shown = Math.min(count, most).toLocaleString('en-US');
  return count > most || (isAtLeast && count > 0) ? `${shown}+` : shown;
}

/** Sentences of the list of errors as JSON with which the provider's text ends, and where that begins. The text may be cut inside of it. */
function errorsIn(text: string): { readonly at: number; readonly messages: string } {
  const at = text.search(/: \[\{"/);
  if (at < 0) return { at: text.length, messages: '' };
  const messages = [...text.slice(at).matchAll(/"message":"((?:[^"\\]|\\.)*)"/g)].map(([, message = '']) =>
    message.replaceAll(/\\(.)/g, '$1'),
  );
  return { at, messages: messages.join('; ') };
}

/** A result for a list: in place of errors as JSON their sentences. */
export function withoutJson(text: string): string {
  const { at, messages } = errorsIn(text);
  return [text.slice(0, at), messages].filter(Boolean).join(': ');
}

const ofBatch = /^Batch write completed \((\d+) succeeded, (\d+) failed\)(?:\. First error, record \d+: (.*))?$/s;

/** A result for a list, what went wrong first: a cell has room for its beginning. */
export function causeFirst(result: string): string {
  const [, succeeded, failed = '0', first] = ofBatch.exec(result) ?? [];
  const text = succeeded === undefined ? result : (first ?? '');
  const cause = errorsIn(text).messages || withoutJson(text);
  if (succeeded === undefined) return cause;
  const total = Number(succeeded) + Number(failed);
  if (failed === '0') return `${total} written`;
  return [cause.replace(/\.$/, ''), `${failed} of ${total} not written`].filter(Boolean).join(' · ');
}
