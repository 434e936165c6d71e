import type { SearchReply, SearchRequest, WriteRequest } from '@sluice/types';
import { requestJson, type Reply } from './request-json';

/** Writes and searches of one integration, as a builder's application sends them. Replies are given as they are. */
export interface SluiceClient {
  /** @param objectName default: `contacts` */
  write<T>(request: WriteRequest, objectName?: string): Promise<Reply<T>>;
  search(groupRef: string, request: SearchRequest): Promise<Reply<SearchReply>>;
}

export interface SluiceClientOptions {
  readonly searchUrl: string;
  readonly writeUrl: string;
  readonly apiKey: string;
  readonly projectName: string;
  readonly integrationId: string;
  readonly signal?: AbortSignal;
}

export function createSluiceClient(options: SluiceClientOptions): SluiceClient {
  const { searchUrl, writeUrl, apiKey, projectName, integrationId, signal } = options;
  const integration = `/projects/${projectName}/integrations/${integrationId}`;
  const headers = { 'x-api-key': apiKey };
  return {
    write: (body, objectName = 'contacts') =>
      requestJson({ method: 'POST', url: `${writeUrl}${integration}/objects/${objectName}`, headers, body, signal }),
    search: (groupRef, body) =>
      requestJson({
        method: 'POST',
        url: `${searchUrl}${integration}?groupRef=${encodeURIComponent(groupRef)}`,
        headers: { ...headers, 'x-sluice-request-type': 'search' },
        body,
        signal,
      }),
  };
}
