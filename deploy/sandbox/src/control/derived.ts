import { createHash } from 'node:crypto';

/** SHA-256 of a text: what is derived from it is the same on every run. */
export const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** 32 hexadecimal digits in the groups of a UUID. */
export function derivedUuid(text: string): string {
  const hex = digest(text).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
