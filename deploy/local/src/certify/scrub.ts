import type { Recording, RecordedExchange } from './recording';
import { trimMetadata } from './trim-metadata';

export interface ScrubOptions {
  /** Leaves ids of records, users and accounts as they are. @default false */
  readonly keepIds?: boolean;
  /** Ids that are nobody's, such as that of a record that is not there. */
  readonly publicIds: readonly string[];
  /** Fields that the run wrote: of the others in a description only a few are kept. */
  readonly fields: readonly string[];
}

/** What stands for a token: as long as needed to be taken for one. */
function standIn(token: string): string {
  return token.startsWith('pat-') ? 'pat-na1-scrubbed' : 'scrubbed-token';
}

const email = /[A-Za-z0-9._%+-]+@(?!example\.com\b)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+/g;
/** Hosts of a customer: a My Domain, or the subdomain of a help desk. */
const customerHost =
  /\b[a-z0-9-]+(?:\.[a-z0-9-]+)?\.(my\.salesforce\.com|zendesk\.com|freshdesk\.com|service-now\.com)\b/gi;
/** Members whose value is an id of the account, of a user or of a record. */
const idMember = /^(id|hs_object_id|.*(_id|Id|ID)|recordId|portalId|hubId|user|org)$/;
/** Salesforce ids. Source: providers.md B8. */
const salesforceId = /^[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;

/**
 * A recording without what is the customer's: secrets, mail addresses, hosts, names of people, own fields, and, unless asked
 * otherwise, ids. One original becomes one replacement throughout, so the exchanges still belong together.
 */
export function scrub(recording: Recording, options: ScrubOptions): Recording {
  const trimmed = {
    ...recording,
    exchanges: recording.exchanges.map((one) => withoutPeople(trimMetadata(one, options.fields))),
  };
  const ids = options.keepIds === true ? [] : [...idsIn(trimmed.exchanges), recording.workspaceRef];
  const isKept = (id: string) => options.publicIds.includes(id) || !isId(id, recording.run);
  const replaced = new Map<string, string>([[recording.accessToken, standIn(recording.accessToken)]]);
  for (const id of new Set(ids)) if (!isKept(id)) replaced.set(id, replacementOf(id, replaced.size));
  let text = JSON.stringify(trimmed);
  for (const [original, replacement] of longestFirst(replaced)) text = text.replaceAll(original, replacement);
  const addresses = new Map<string, string>();
  text = text.replace(email, (found) => remember(addresses, found, (n) => `person-${n}@example.com`));
  const scrubbed = JSON.parse(text.replace(customerHost, 'example.$1')) as Recording;
  return { ...scrubbed, workspaceRef: replaced.get(recording.workspaceRef) ?? 'example' };
}

const longestFirst = (replaced: Map<string, string>) =>
  [...replaced].toSorted(([one], [other]) => other.length - one.length);

/** What is long enough to be told from a number of another meaning, and no mark of ours. */
function isId(value: string, run: string): boolean {
  return !value.includes(run) && (/^\d{6,}$/.test(value) || salesforceId.test(value));
}

function idsIn(value: unknown, name = ''): string[] {
  if (typeof value === 'string' || typeof value === 'number') return idMember.test(name) ? [String(value)] : [];
  if (Array.isArray(value)) return value.flatMap((item) => idsIn(item, name));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([member, inner]) => idsIn(inner, member));
}

/** Of the same form: a connector must take it for what it stands for. */
function replacementOf(id: string, n: number): string {
  if (/^\d+$/.test(id)) return `9${String(n).padStart(id.length - 1, '0')}`;
  const short = id.slice(0, 3) + 'ak0' + String(n).padStart(9, '0');
  return id.length === 15 ? short : short + checksumOf(short);
}

/** The last three characters of an id of 18. Source: providers.md B8. */
function checksumOf(short: string): string {
  const bits = (block: string) =>
    block.split('').reduce((sum, char, at) => sum + (/[A-Z]/.test(char) ? 1 << at : 0), 0);
  return [0, 5, 10].map((at) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'[bits(short.slice(at, at + 5))]).join('');
}

function remember(known: Map<string, string>, original: string, make: (n: number) => string): string {
  const replacement = known.get(original) ?? make(known.size + 1);
  known.set(original, replacement);
  return replacement;
}

const identitySteps = ['opening the account', 'the account is named', 'refused credentials'];
const personal =
  /^(name|nickname|given_name|family_name|first_name|last_name|display_name|displayName|preferred_username|username|user_name|picture|photos|profile|phone_number|mobile_phone|address|addr_.*|zoneinfo|email|timeZone|companyCurrency|locale|language)$/i;

/** Who the user is, where an account names itself. */
function withoutPeople(exchange: RecordedExchange): RecordedExchange {
  if (!identitySteps.includes(exchange.step) || exchange.reply?.json === undefined) return exchange;
  return { ...exchange, reply: { ...exchange.reply, json: mask(exchange.reply.json) } };
}

function mask(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(mask);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, personal.test(name) ? '[scrubbed]' : mask(inner)]),
  );
}
