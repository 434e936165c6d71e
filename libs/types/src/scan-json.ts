import { isHostileName } from './field-names';

/** Deepest nesting of a body. JSON.stringify of a much deeper value exhausts the stack. */
export const depthMax = 32;

/** Most members of one object of a body. */
export const membersMax = 1_000;

/** What a JSON text may hold, besides what holds for every body (exact numbers, names). */
export interface JsonBounds {
  /** @default 32; at most 64 */
  readonly depthMax?: number;
  /** Members of one object. @default 1 000 */
  readonly membersMax?: number;
  /** Items of one list; at least 2. */
  readonly listItemsMax: number;
  /** Bytes of one string of the text, in UTF-8 and with its escapes. */
  readonly stringBytesMax: number;
  /** Values in all: members, items, and one more for each list or object, so an empty one counts as well. */
  readonly valuesMax: number;
  /** How many shapes (see JsonScan), and what their hashes begin with: nobody else may know it. @default they are not counted */
  readonly shapes?: { readonly max: number; readonly seed: number };
}

/** What one pass over the text of a JSON document finds. */
export interface JsonScan {
  /** How many members its objects have together; a parsed value with fewer had a name twice. */
  readonly members: number;
  readonly values: number;
  /**
   * How many different beginnings its objects have: `a` and `a,b` of an object of two. An engine keeps a description of each, ten times as large as a
   * value. At most a few per cent fewer than there are.
   */
  readonly shapes: number;
  /** The bound that the text passes first; the rest was not looked at. */
  readonly excess?: 'depth' | 'members' | 'items' | 'string' | 'values' | 'shapes';
  readonly hasInexactNumber: boolean;
}

const quote = 34;
const comma = 44;
const minus = 45;
const zero = 48;
const nine = 57;
const colon = 58;
const openList = 91;
const backslash = 92;
const closeList = 93;
const openObject = 123;
const closeObject = 125;

/** Deepest nesting that any bound allows. */
const levels = 64;
/**
 * Commas of the list that is open at each depth (an object's are taken off as they come), members of the object, and a hash of their names. One scan
 * runs at a time: it never waits.
 */
const commasAt = new Int32Array(levels + 2);
const membersAt = new Int32Array(levels + 2);
const shapeAt = new Int32Array(levels + 2);
/** A bit for each hash of a shape that was seen: a million, or 32 for each name that the text has space for. */
const marks = new Uint8Array(131_072);
/** Where a route states none: lists and texts as long as the body may be. A megabyte of values of ten bytes each is more than any config has. */
export const usualBounds: JsonBounds = { listItemsMax: Infinity, stringBytesMax: Infinity, valuesMax: 100_000 };

/**
 * Scans the text before it is parsed. Does not check its grammar: JSON.parse does.
 * Linear, and stops at the first excess of depth or of a bound: 200 000 nested lists cost as much as 33.
 * Measured on Node 24 with a body of 0.7 KB: 0.5 us, where JSON.parse takes 1.2 us, and 7.3 us with a reviver that
 * asks for each number's source text.
 */
export function scanJson(text: string, bounds: JsonBounds = usualBounds): JsonScan {
  const { listItemsMax, stringBytesMax, valuesMax, shapes: counted } = bounds;
  const { depthMax: deepest = depthMax, membersMax: membersOfOne = membersMax } = bounds;
  let members = 0;
  let values = 0;
  let shapes = 0;
  let depth = 0;
  let hasInexactNumber = false;
  const excess = (of: JsonScan['excess']): JsonScan => {
    return { members, values, shapes, hasInexactNumber, ...(of && { excess: of }) };
  };
  const marksBits = counted ? clearMarks(text.length) : 0;
  let nameAt = 0;
  let nameEnd = 0;
  commasAt[0] = 0;
  membersAt[0] = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = endOfString(text, at);
      if (isLongString(text, at, end, stringBytesMax)) return excess('string');
      nameAt = at + 1;
      nameEnd = end;
      at = end;
    } else if (code === colon) {
      members += 1;
      // A member is no item: the comma before it does not count for a list.
      commasAt[depth] = 0;
      membersAt[depth] = (membersAt[depth] ?? 0) + 1;
      if ((membersAt[depth] ?? 0) > membersOfOne) return excess('members');
      if (counted) {
        let hash = shapeAt[depth] ?? 0;
        for (; nameAt < nameEnd; nameAt += 1) hash = Math.imul(hash ^ text.charCodeAt(nameAt), 0x01000193);
        hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
        shapeAt[depth] = hash;
        if (isNew(hash >>> (32 - marksBits))) shapes += 1;
        if (shapes > counted.max) return excess('shapes');
      }
    } else if (code === comma) {
      values += 1;
      commasAt[depth] = (commasAt[depth] ?? 0) + 1;
      if ((commasAt[depth] ?? 0) >= listItemsMax) return excess('items');
      if (values > valuesMax) return excess('values');
    } else if (code === openObject || code === openList) {
      values += 1;
      depth += 1;
      if (depth > deepest) return excess('depth');
      if (values > valuesMax) return excess('values');
      commasAt[depth] = 0;
      membersAt[depth] = 0;
      shapeAt[depth] = counted?.seed ?? 0;
    } else if (code === closeObject || code === closeList) depth = Math.max(0, depth - 1);
    else if (code === minus || isDigit(code)) {
      const end = endOfNumber(text, at);
      hasInexactNumber ||= !isExactNumber(text.slice(at, end));
      at = end - 1;
    }
  }
  return excess(undefined);
}

/** @returns how many bits of a hash have a mark */
function clearMarks(characters: number): number {
  const bits = Math.min(20, Math.max(6, 35 - Math.clz32(characters)));
  marks.fill(0, 0, 2 ** (bits - 3));
  return bits;
}

function isNew(mark: number): boolean {
  const [at, bit] = [mark >>> 3, 1 << (mark & 7)];
  const before = marks[at] ?? 0;
  marks[at] = before | bit;
  return (before & bit) === 0;
}

/** A character of a text has at most three bytes, so most strings need not be measured. */
export function isLongString(text: string, open: number, end: number, bytesMax: number): boolean {
  const characters = end - open - 1;
  if (characters * 3 <= bytesMax) return false;
  return characters > bytesMax || Buffer.byteLength(text.slice(open + 1, end)) > bytesMax;
}

/** @returns the index of the closing quote, or the text's length when there is none */
export function endOfString(text: string, open: number): number {
  let at = text.indexOf('"', open + 1);
  while (at !== -1) {
    let backslashes = 0;
    while (text.charCodeAt(at - 1 - backslashes) === backslash) backslashes += 1;
    if (backslashes % 2 === 0) return at;
    at = text.indexOf('"', at + 1);
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && isOfNumber(text.charCodeAt(at))) at += 1;
  return at;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}

/** Digits and `+ - . E e`. */
function isOfNumber(code: number): boolean {
  return isDigit(code) || code === minus || code === 43 || code === 46 || code === 69 || code === 101;
}

/** What is wrong with a member's name, as the end of a sentence; undefined when nothing is. */
export function nameFault(name: string): string | undefined {
  if (isHostileName(name)) return 'has a name that is not allowed (__proto__, constructor, prototype)';
  if (name.includes('\0')) return 'has a name with a NUL character';
  if (!name.isWellFormed()) return 'has a name that is not valid Unicode (a lone surrogate)';
  return undefined;
}

/**
 * Counts the members of all objects inside a parsed value.
 * @param checkAll whether names need the full check; only a text with `\u` escapes can hide a NUL or a surrogate
 * @returns undefined when a name is not allowed or an object has too many members
 */
export function countMembers(value: unknown, checkAll: boolean): number | undefined {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return sumOf(value, checkAll);
  const names = Object.keys(value);
  if (names.length > membersMax) return undefined;
  for (const name of names) {
    if (checkAll ? nameFault(name) !== undefined : isHostileName(name)) return undefined;
  }
  const inside = sumOf(Object.values(value), checkAll);
  return inside === undefined ? undefined : names.length + inside;
}

function sumOf(values: readonly unknown[], checkAll: boolean): number | undefined {
  let sum = 0;
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const count = countMembers(value, checkAll);
    if (count === undefined) return undefined;
    sum += count;
  }
  return sum;
}

/** Whether no text of a parsed value has a lone surrogate, which UTF-8 does not have: it would be stored as another text. */
export function isAllWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  return typeof value !== 'object' || value === null || Object.values(value).every(isAllWellFormed);
}

/** A decimal of at most 15 significant digits survives the way through a double (DBL_DIG of IEEE 754). */
const alwaysExactLength = 15;
/** Only an exponent of three digits can leave the range of a double in so few characters. */
const farExponent = /e[+-]?\d{3}/i;
const form = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/**
 * Whether a JSON number comes back from JSON.parse and JSON.stringify as the same decimal value.
 * `0.1`, `1.50` and `9007199254740992` do; `12345678901234567890`, `9007199254740993` and `1e400` do not.
 */
export function isExactNumber(literal: string): boolean {
  if (literal.length <= alwaysExactLength && !farExponent.test(literal)) return true;
  const value = Number(literal);
  return Number.isFinite(value) && decimal(literal) === decimal(String(value));
}

/** Digits without zeros at either end, and the power of ten of the last one: equal texts for equal values. */
function decimal(literal: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = form.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = trimZeros(digits);
  if (significant === '') return '0';
  return `${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** Not `/0+$/`, which is quadratic on runs of zeros that do not end the text. */
function trimZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 48) end -= 1;
  return digits.slice(0, end);
}
