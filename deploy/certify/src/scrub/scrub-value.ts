import { entitySource, isOfSomebody, type Vocabulary } from './vocabulary';

/** Moments so far from the run are those of the account's life: when somebody was born, joined, was written to. In milliseconds. [own] */
const nearMs = 24 * 3_600_000;

/** A day, as a part of a pattern. */
const daySource = String.raw`\d{4}-\d\d-\d\d`;
const time = String.raw`[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?`;
/** A moment or a day, as a part of a pattern. */
const momentSource = `${daySource}(?:${time})?`;
const moment = new RegExp(`^${momentSource}$`);
/** Milliseconds since 1970, from 2017 to 2033. */
const epoch = /^1[5-9]\d{11}$/;

/** Keeps times within the run, which prove what was made when, and replaces all others by a fixed one. */
function momentsAround(startedAt: string): (text: string) => string | undefined {
  const startedMs = Date.parse(startedAt);
  const isNear = (ms: number) => Math.abs(ms - startedMs) <= nearMs;
  return (text) => {
    if (epoch.test(text)) return isNear(Number(text)) ? text : undefined;
    if (!moment.test(text)) return undefined;
    const isKept = isNear(Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2')));
    return isKept ? text : `2000-01-01${text.slice(10).replace(/\d/g, '0')}`;
  };
}

/** How the values of one recording are scrubbed; the same original becomes the same everywhere. */
export interface Scrubber {
  /** A JSON value of a reply. */
  readonly reply: (value: unknown) => unknown;
  /** A JSON value that we sent. */
  readonly sent: (value: unknown) => unknown;
  /** A text of which each word is looked at. */
  readonly sentence: (text: string) => string;
  /** One part of a path, decoded. */
  readonly word: (text: string) => string;
}

export interface Kept {
  readonly vocabulary: Vocabulary;
  /** Texts of the run itself, which are kept wherever they occur. */
  readonly own: ReadonlySet<string>;
  /** Names the run; a mark begins with it. */
  readonly run: string;
  readonly startedAt: string;
  /** A text that has to become another one, such as the token. */
  readonly replaced: Readonly<Record<string, string>>;
  /** Keeps ids of letters and digits. @default false */
  readonly keepIds?: boolean;
}

/** Longest text that can be a word of a provider. [own] */
const wordMax = 120;
const memberForm = /^[A-Za-z_$][\w$.-]*$/;
/** Seven digits or more with blanks and brackets between them. */
const phoneSource = String.raw`\+?\(?\d(?:[ ().\/]{0,2}\d){6,}`;
/** What may separate two groups of digits of one number, in plain text and in HTML; quotes and brackets separate values. */
const gapSource = String.raw`(?:${entitySource}|[^\p{L}\p{M}\p{N}"{}[\]<>]){1,3}`;
/** Groups of four digits or fewer, each harmless by itself: an IP address, a day, a short phone number. */
const groupsSource = String.raw`(?<!\d)[.+-]*\d{1,4}(?:${gapSource}(?!${daySource})\d{1,4})+(?![\p{L}\p{M}\p{N}_@])`;
const wordSource = String.raw`[\p{L}\p{M}\p{N}_@.+-]+`;
const pieces = new RegExp([momentSource, phoneSource, groupsSource, wordSource].join('|'), 'gu');

/**
 * Keeps an allow-list and nothing else: what the run sent, times of the run, and in the members that the connector reads the words
 * of the provider's documentation. Everything else is replaced by a placeholder of its kind.
 */
export function createScrubber(kept: Kept): Scrubber {
  const { vocabulary } = kept;
  const standIns = createStandIns();
  const keep = keeperOf(kept);
  const isKept = (text: string) => isWord(vocabulary, text) || (kept.keepIds === true && isId(text, standIns));
  const word = (text: string): string => keep(text) ?? (isKept(text) ? text : standIns.of(text));
  const sentence = (text: string): string => {
    return keep(text) ?? withoutSymbols(text.replace(pieces, pieceOf));
  };
  const pieceOf = (piece: string): string => {
    const [, before = '', core = '', after = ''] = /^([.+-]*)(.*?)([.+-]*)$/su.exec(piece) ?? [];
    if (core === '') return piece;
    const whole = keep(core) ?? (vocabulary.isPublic(core) || isKept(core) ? core : undefined);
    if (whole !== undefined) return before + whole + after;
    if (standIns.isDistinct(core) || isOfSomebody(core)) return before + standIns.of(core) + after;
    const parts = core.replace(/[\p{L}\p{M}\p{N}]+/gu, (part) =>
      vocabulary.isPublic(part) ? part : standIns.of(part),
    );
    return before + parts + after;
  };
  const leaf = (text: string, member: string, isSent: boolean): string => {
    if (isSent || vocabulary.sentences.has(member)) return sentence(text);
    return vocabulary.read.has(member) ? word(text) : (keep(text) ?? standIns.of(text));
  };
  const number = (value: number, isRead: boolean): number => {
    const known = keep(String(value));
    if (known !== undefined) return Number(known);
    const isSmall = Number.isInteger(value) && Math.abs(value) <= 999;
    return isSmall && isRead ? value : standIns.ofNumber(value);
  };
  const memberName = (text: string): string =>
    kept.own.has(text) || (memberForm.test(text) && isWord(vocabulary, text)) ? text : standIns.ofName(text);
  const walk = (value: unknown, member: string, isSent: boolean): unknown => {
    if (typeof value === 'string') return leaf(value, member, isSent);
    if (typeof value === 'number') return number(value, isSent || vocabulary.read.has(member));
    if (Array.isArray(value)) return value.map((item) => walk(item, member, isSent));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([key, inner]) => [memberName(key), walk(inner, key, isSent)] as const);
    return Object.fromEntries(members);
  };
  return { reply: (value) => walk(value, '', false), sent: (value) => walk(value, '', true), sentence, word };
}

function isWord(vocabulary: Vocabulary, text: string): boolean {
  return text.length <= wordMax && /^[\x21-\x7e]+$/.test(text) && vocabulary.isPublic(text);
}

function isId(text: string, standIns: StandIns): boolean {
  return /^[\w-]{4,40}$/.test(text) && standIns.isDistinct(text);
}

/** What is ours, or a moment; undefined: neither. */
function keeperOf({ own, run, startedAt, replaced }: Kept) {
  const mark = new RegExp(`^${run}(?:-\\d+)?(?:@example\\.com)?$`, 'i');
  const momentOf = momentsAround(startedAt);
  return (text: string): string | undefined => {
    if (Object.hasOwn(replaced, text)) return replaced[text];
    if (own.has(text) || mark.test(text)) return text;
    return momentOf(text);
  };
}

/** A connector does not interpret what is neither a letter nor on every keyboard. */
function withoutSymbols(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}

/** The placeholder for a customer's value: of the same kind, and the same for the same original. */
export interface StandIns {
  /** For a whole value. */
  readonly of: (original: string) => string;
  /** For the name of a member. */
  readonly ofName: (name: string) => string;
  /** For a whole number that has to stay one. */
  readonly ofNumber: (original: number) => number;
  /** The form of the original shows what it is, so that it is replaced as a whole wherever it occurs. */
  readonly isDistinct: (original: string) => boolean;
}

type Make = (n: number, original: string) => string;

const digits = /^\d{4,}$/;
/** Salesforce ids. Source: docs/contributing/providers.md, B8. */
const salesforceId = /^(?=.*\d)[a-zA-Z0-9]{15}(?:[a-zA-Z0-9]{3})?$/;
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const address = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const url = /^[a-z][a-z0-9+.-]*:\/\//i;
const phone = /^\+?(?=(?:\D*\d){7})[\d\s()./-]+$/;
/** Letters and digits of one word, with a prefix that may be a word: `lead_Nr98VzHY3NkC`. */
const code = /^(?:[a-z]+_)?(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}$/;

/** Kinds that a connector may recognise by their form; the first that fits. */
const kinds: readonly (readonly [form: RegExp, make: Make])[] = [
  [digits, (n, original) => `9${String(n).padStart(original.length - 1, '0')}`],
  [salesforceId, salesforceIdOf],
  [uuid, (n) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`],
  [address, (n) => `person-${n}@example.com`],
  [url, (n) => `https://example.com/${n}`],
  [phone, (n) => `+1555${String(n).padStart(7, '0')}`],
  [code, (n, original) => `x${String(n).padStart(original.length - 1, '0')}`],
];

function createStandIns(): StandIns {
  const known = new Map<string, string>();
  const names = new Map<string, string>();
  const kindOf = (original: string) => kinds.find(([form]) => form.test(original));
  const of = (original: string): string => {
    const make = kindOf(original)?.[1] ?? ((n: number) => `text-${n}`);
    return remember(known, original, (n) => make(n, original));
  };
  return {
    of,
    ofName: (name) => remember(names, name, (n) => `member_${n}`),
    ofNumber: (original) => (Math.abs(original) > 999 && Number.isSafeInteger(original) ? numberOf(of, original) : 0),
    isDistinct: (original) => kindOf(original) !== undefined,
  };
}

function numberOf(of: StandIns['of'], original: number): number {
  return Math.sign(original) * Number(of(String(Math.abs(original))));
}

function remember(known: Map<string, string>, original: string, make: (n: number) => string): string {
  const standIn = known.get(original) ?? make(known.size + 1);
  known.set(original, standIn);
  return standIn;
}

/** Keeps the prefix of a standard object, which shows the object of an id. */
function salesforceIdOf(n: number, original: string): string {
  const key = /^0[0-9A-Z]{2}/.exec(original)?.[0] ?? 'a00';
  const short = `${key}ak0${String(n).padStart(9, '0')}`;
  return original.length === 15 ? short : short + checksumOf(short);
}

/** The last three characters of an id of 18. Source: docs/contributing/providers.md, B8. */
function checksumOf(short: string): string {
  const bits = (block: string) =>
    block.split('').reduce((sum, char, at) => sum + (/[A-Z]/.test(char) ? 1 << at : 0), 0);
  return [0, 5, 10].map((at) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345'[bits(short.slice(at, at + 5))]).join('');
}
