import { UnevenNumbers } from '../control/derived';
import type { RecordIds } from '../crm/record-store';
import { objectNamed } from './objects';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Characters 4 to 6: the pod an org lives on. */
const POD = 'ak0';

/** Where numbering begins: `3dQCH0` to base 62, so that every id has letters of both cases. */
const FIRST = 3_330_919_310;

/** Ids of 18 characters: the object's prefix, the pod, a growing number to base 62, the checksum. No id is given twice. */
export function recordIds(): RecordIds {
  const numbers = new UnevenNumbers(FIRST);
  return {
    next: (type) => idOf(objectNamed(type).keyPrefix, numbers.next()),
    skipPast: (id) => numbers.skipPast(fromBase62(id.slice(6, 15))),
  };
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
 * The 18-character form of an id: the 15 that count, and a letter for each five of them that encodes which are upper case.
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
