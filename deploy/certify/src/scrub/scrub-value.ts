import { daySource, momentSource, momentsAround } from './moments';
import { createStandIns, type StandIns } from './stand-ins';
import { entitySource, isOfSomebody, type Vocabulary } from './vocabulary';

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
  /** Texts of the run itself, which are kept wherever they stand. */
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
const name = /^[A-Za-z_$][\w$.-]*$/;
/** Seven digits or more with blanks and brackets between them. */
const phoneSource = String.raw`\+?\(?\d(?:[ ().\/]{0,2}\d){6,}`;
/** What may stand between two groups of digits, in plain text and in HTML; quotes and brackets divide values. */
const gapSource = String.raw`(?:${entitySource}|[^\p{L}\p{M}\p{N}"{}[\]<>]){1,3}`;
/** Groups of four digits or fewer, none of which says anything by itself: an IP address, a day, a short phone. */
const groupsSource = String.raw`(?<!\d)[.+-]*\d{1,4}(?:${gapSource}(?!${daySource})\d{1,4})+(?![\p{L}\p{M}\p{N}_@])`;
const wordSource = String.raw`[\p{L}\p{M}\p{N}_@.+-]+`;
const pieces = new RegExp([momentSource, phoneSource, groupsSource, wordSource].join('|'), 'gu');

/**
 * Keeps what is listed and nothing else: what the run sent, moments of the run, and at the places that the connector reads the words
 * of the provider's documentation. All the rest has a stand-in of its kind.
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
    kept.own.has(text) || (name.test(text) && isWord(vocabulary, text)) ? text : standIns.ofName(text);
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

/** What is neither a letter nor on every keyboard says nothing to a connector. */
function withoutSymbols(text: string): string {
  return text.replace(/[^\x20-\x7e]+/g, ' ');
}
