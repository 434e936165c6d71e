import { createHash } from 'node:crypto';
import type { ForwardedHeader } from '@sluice/types';

/**
 * What all writes to one provider record have in common: they run in accept order. Creates have no record yet and get none.
 * @param recordKey of the record's id, by its connector: the id may be sent in several forms
 */
export function orderKeyOf(laneId: string, objectName: string, recordKey: string | undefined): string | undefined {
  return recordKey === undefined ? undefined : `${laneId}/${objectName}/${recordKey}`;
}

/** Equal for equal forwarded headers, so that records of one call share them. Empty: none. */
export function headersKeyOf(headers: readonly ForwardedHeader[] | undefined): string {
  if (headers === undefined || headers.length === 0) return '';
  const canonical = headers
    .map(({ key, value }) => `${key.toLowerCase()}: ${value}`)
    .sort()
    .join('\n');
  return createHash('sha256').update(canonical).digest('base64url');
}
