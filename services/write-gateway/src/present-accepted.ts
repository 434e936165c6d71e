import type { Reply } from '@sluice/http';
import type { AcceptedWriteReply } from '@sluice/types';

/** Where an asynchronous write went. */
export interface AcceptedWrite {
  readonly operationId: string;
  /** Index of the record in its operation, from 0; of a batch: of its first record. */
  readonly index: number;
  /** What the caller sent as `Sluice-Record-Ref`. */
  readonly ref?: string;
}

/** The reply of an accepted write. Only after the commit: the id is the operation that writes the record. */
export function presentAccepted({ operationId, index, ref }: AcceptedWrite) {
  const body: AcceptedWriteReply = { operationId };
  const headers: Record<string, string> = {
    'Sluice-Record-Index': String(index),
    ...(ref === undefined ? {} : { 'Sluice-Record-Ref': ref }),
  };
  return { status: 200, body, headers } satisfies Reply;
}
