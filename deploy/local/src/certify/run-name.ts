import { randomBytes } from 'node:crypto';

/** A name that tells people what the records are and when they were made, and tells runs apart: `sluice-certify-20261121-9f3a1c`. */
export function newRunName(now: Date): string {
  const day = now.toISOString().slice(0, 10).replaceAll('-', '');
  return `sluice-certify-${day}-${randomBytes(3).toString('hex')}`;
}
