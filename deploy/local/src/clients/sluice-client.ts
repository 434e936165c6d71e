import type { Reply, SluiceClient as Client } from '@sluice/client';
import type { SearchReply, SearchRequest, WriteRequest } from '@sluice/types';

/** Writes and searches of one integration, as a builder's application sends them. Replies are given as they are. */
export interface SluiceClient {
  /** @param objectName default: `contacts` */
  write<T>(request: WriteRequest, objectName?: string): Promise<Reply<T>>;
  search(groupRef: string, request: SearchRequest): Promise<Reply<SearchReply>>;
}

/** @param client of the integration's project */
export function ofIntegration({ raw }: Client, integrationId: string): SluiceClient {
  const headers = { 'x-sluice-request-type': 'search' };
  return {
    // Which reply comes follows from the request, which each step knows.
    write: <T>(body: WriteRequest, objectName = 'contacts') =>
      raw.write.writeRecords({ integrationId, objectName, body }) as Promise<Reply<T>>,
    search: (groupRef, body) => raw.search.searchRecords({ integrationId, groupRef, body }, { headers }),
  };
}
