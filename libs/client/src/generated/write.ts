// Generated from the document of the write API by: npm run generate:client. Do not edit.
/* eslint-disable max-lines */
import type { AcceptedWriteReply, BatchDryRunReply, BatchWriteReply, DryRunReply, SingleWriteReply, WriteRequest } from '@sluice/types';
import type { OperationShape } from '../operation-shape';

/** What each operation of the write API takes and answers. */
export interface WriteOperations {
  /** Write records. One record or a batch; now, or accepted to be written later. */
  readonly writeRecords: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** Object of the manifest. */ readonly objectName: string;
      /** true: only report what would be written. */ readonly dryRun?: 'true' | 'false';
      readonly body: WriteRequest;
    };
    readonly reply: SingleWriteReply | BatchWriteReply | DryRunReply | BatchDryRunReply | AcceptedWriteReply;
  };
}

/** How each goes over the wire. */
export const writeOperations: Readonly<Record<keyof WriteOperations, OperationShape>> = {
  writeRecords: { method: 'POST', path: '/projects/{projectIdOrName}/integrations/{integrationId}/objects/{objectName}', query: ['dryRun'], body: true },
};
