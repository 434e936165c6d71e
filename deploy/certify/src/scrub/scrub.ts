import type { Declaration } from '@sluice/connectors';
import type { Recording, RecordedExchange } from '../recording';
import { ownTexts, type Subject } from '../subjects';
import { createScrubber, type Scrubber } from './scrub-value';
import { vocabularyOf } from './vocabulary';

export interface ScrubOptions {
  /** Leaves ids of records, users and accounts as they are. @default false */
  readonly keepIds?: boolean;
  /** What the run wrote: its texts are kept wherever they occur. */
  readonly subject: Subject;
  /** The provider's file, if it has one. */
  readonly file?: Declaration | undefined;
}

/** A run as it was recorded: with everything of the account, and nothing concluded. */
export type RawRecording = Omit<Recording, 'findings'>;

/** The placeholder for a token: long enough to be accepted as one. */
function standIn(token: string): string {
  return token.startsWith('pat-') ? 'pat-na1-scrubbed' : 'scrubbed-token';
}

/** A recording as it may be passed on. What was concluded from it is not among it: that is to be concluded again. */
export function scrub(recording: RawRecording, { keepIds = false, subject, file }: ScrubOptions): RawRecording {
  const { provider, run, startedAt, accessToken, workspaceRef, exchanges } = recording;
  const fields = Object.keys(subject.fields(''));
  const names = [...ownTexts(subject), ...fields];
  const scrubber = createScrubber({
    vocabulary: vocabularyOf(provider, file, names),
    own: new Set(names),
    replaced: { [accessToken]: standIn(accessToken) },
    run,
    startedAt,
    keepIds,
  });
  return {
    ...recording,
    exchanges: exchanges.map((exchange) => scrubExchange(scrubber, trimMetadata(exchange, fields))),
    workspaceRef: scrubber.word(workspaceRef),
    accessToken: standIn(accessToken),
  };
}

function scrubExchange(scrubber: Scrubber, { step, request, reply }: RecordedExchange): RecordedExchange {
  if (!reply) return { step, request: scrubRequest(scrubber, request) };
  const { status, headers, json, text } = reply;
  return {
    step,
    request: scrubRequest(scrubber, request),
    reply: {
      status,
      headers: scrubHeaders(scrubber, headers),
      ...(json !== undefined && { json: scrubber.reply(json) }),
      ...(text !== undefined && { text: scrubber.sentence(text) }),
    },
  };
}

/** Numbers of limits are the account's plan and nobody's name. */
const momentForm = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const limitForm = /^[\d.]+$|^(?:[a-z-]+[=:] ?[\d./]+[,; ]*)+$/i;
const contentTypeForm =
  /^(?:application\/(?:json|xml|problem\+json|vnd\.api\+json|hal\+json)|text\/(?:html|plain|xml))(?:; ?charset=(?:utf-8|iso-8859-1|us-ascii))?$/i;

function scrubHeaders(scrubber: Scrubber, headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name, value]) => {
    if (name === 'content-type') return contentTypeForm.test(value);
    return limitForm.test(value) || (name === 'retry-after' && momentForm.test(value));
  });
  return Object.fromEntries(kept.map(([name, value]) => [name, scrubLimit(scrubber, name, value)]));
}

function scrubLimit(scrubber: Scrubber, name: string, value: string): string {
  if (name === 'content-type' || momentForm.test(value)) return value;
  return value.replace(/[A-Za-z-]+/g, (word) => scrubber.word(word));
}

/** Shorter lists are kept whole. */
const longList = 20;

/** Leaves of an account's descriptions those of fields that the run wrote or that every record needs; a real account has hundreds. */
function trimMetadata(exchange: RecordedExchange, fields: readonly string[]): RecordedExchange {
  const { reply } = exchange;
  if (reply?.json === undefined) return exchange;
  return { ...exchange, reply: { ...reply, json: trim(reply.json, new Set(fields)) } };
}

function trim(value: unknown, fields: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) {
    const name = value.length > longList ? nameMember(value, fields) : undefined;
    if (name === undefined) return value.map((one) => trim(one, fields));
    return value.filter((field: Named) => fields.has(String(field[name])) || isRequired(field));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, trim(inner, fields)]));
}

type Named = Readonly<Record<string, unknown>>;

/** The member that names the fields, in a list that describes them. */
function nameMember(list: readonly unknown[], fields: ReadonlySet<string>): string | undefined {
  const described = list.filter((one): one is Named => typeof one === 'object' && one !== null);
  if (described.length < list.length) return undefined;
  const named = described.flatMap((one) => Object.entries(one)).find(([, name]) => fields.has(String(name)));
  return named?.[0];
}

/** In the words of any provider: `required_for_agents`, `mandatory_flag`, `nillable`. */
function isRequired(field: Named): boolean {
  return Object.entries(field).some(([name, value]) =>
    /required|mandatory/i.test(name) ? value === true : name === 'nillable' && value === false,
  );
}

/** A request as a replay sends it again: its constants are ours, its ids came from replies. */
function scrubRequest(scrubber: Scrubber, { method, path, body, headers }: RecordedExchange['request']) {
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
