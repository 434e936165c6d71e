// Generated from the document of the search API by: npm run generate:client. Do not edit.
/* eslint-disable max-lines */
import type { SearchReply, SearchRequest } from '@sluice/types';
import type { OperationShape } from '../operation-shape';

/** What each operation of the search API takes and answers. */
export interface SearchOperations {
  /** Search records. */
  readonly searchRecords: {
    readonly params: {
      /** Project id or name. */ readonly projectIdOrName?: string;
      /** Integration id or name. */ readonly integrationId: string;
      /** The builder's id of a group of users. */ readonly groupRef: string;
      readonly body: SearchRequest;
    };
    readonly reply: SearchReply;
  };
}

/** How each goes over the wire. */
export const searchOperations: Readonly<Record<keyof SearchOperations, OperationShape>> = {
  searchRecords: { method: 'POST', path: '/projects/{projectIdOrName}/integrations/{integrationId}', query: ['groupRef'], body: true },
};
