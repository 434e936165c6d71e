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
