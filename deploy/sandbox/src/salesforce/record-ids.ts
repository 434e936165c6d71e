const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters 4 to 6: the pod an org lives on. */
const POD = 'ak0';

/** Where numbering begins: `3dQCH0` to base 62, so that every id has letters of both cases. */
const FIRST = 3_330_919_310;

/** Largest gap between two ids, so that no test may rely on consecutive ones. */
const LARGEST_STEP = 997;

/**
 * Gives record ids of 18 characters: the object's prefix, the pod, a growing number to base 62, the checksum.
 * The same calls give the same ids on every run; no id is given twice.
 */
export class RecordIds {
  private last = FIRST;
  private state = 1;

  next(keyPrefix: string): string {
    // A full-period congruential generator (Numerical Recipes constants): spread is enough here, quality is not.
    this.state = (Math.imul(this.state, 1_664_525) + 1_013_904_223) >>> 0;
    this.last += 1 + (this.state % LARGEST_STEP);
    return idOf(keyPrefix, this.last);
  }

  /** Makes sure that `id` is never given again. Needed after records were loaded from a journal. */
  skipPast(id: string): void {
    this.last = Math.max(this.last, fromBase62(id.slice(6, 15)));
  }
}

/** The id with a given number: for records that an org has from the beginning. */
export function idOf(keyPrefix: string, number: number): string {
  const id = toLongId(keyPrefix + POD + toBase62(number).padStart(9, '0'));
  if (id === undefined) throw new Error(`no id begins with ${keyPrefix}`);
  return id;
}

function toBase62(number: number): string {
  const rest = Math.floor(number / 62);
  return (rest > 0 ? toBase62(rest) : '') + digits.charAt(number % 62);
}

function fromBase62(text: string): number {
  return Array.from(text).reduce((number, digit) => number * 62 + digits.indexOf(digit), 0);
}

const shape = /^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/;
const checksumLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * The 18-character form of an id: the 15 that count, and a letter for each five of them that tells which are upper case.
 * @param id 15 characters, or 18 with the right checksum; upper and lower case differ
 * @returns undefined for anything else
 */
export function toLongId(id: string): string | undefined {
  if (!shape.test(id)) return undefined;
  const short = id.slice(0, 15);
  const long = short + checksum(short);
  return id.length === 15 || id === long ? long : undefined;
}

/** The 15-character form, which some messages use. */
export const toShortId = (id: string): string => id.slice(0, 15);

function checksum(short: string): string {
  return [0, 5, 10].map((start) => checksumLetters[upperCaseBits(short.slice(start, start + 5))]).join('');
}

/** Bit i is set when character i is upper case. */
function upperCaseBits(block: string): number {
  return Array.from(block).reduce((bits, letter, index) => (/[A-Z]/.test(letter) ? bits | (1 << index) : bits), 0);
}
