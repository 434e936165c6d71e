import { ProviderError, ValidationError } from '@sluice/errors';
import type { Connector } from '@sluice/connectors';
import type { InstallationNames } from '@sluice/store';
import {
  limits,
  type InstallationContext,
  type LiveCredentials,
  type SearchRequest,
  type SearchResultItem,
} from '@sluice/types';
import { askProvider } from './ask-provider';
import type { SearchContext } from './context';
import { fieldNamesOf } from './field-names';
import { fieldsToAsk } from './fields-to-ask';
import { toProviderFilters } from './provider-filters';
import { toResultItem } from './result-item';
import { getSearchableObject } from './searchable-object';

/** A search whose body is checked, with what came beside the body. */
export interface SearchOrder {
  readonly names: InstallationNames;
  readonly request: SearchRequest;
  readonly traceparent: string;
  /** The caller left: nobody reads the answer. */
  readonly signal: AbortSignal;
}

type Searcher = Connector & Required<Pick<Connector, 'search'>>;

/**
 * One page of the provider's records that equal every filter. The installation is read as it is now, so a change is in
 * force for the next search.
 * @throws ProviderError for what the provider refuses; nothing is retried
 */
export async function searchRecords(context: SearchContext, order: SearchOrder): Promise<SearchResultItem[]> {
  const installation = await context.installations.resolveAgain(order.names);
  const object = getSearchableObject(installation, order.request.objectName);
  const names = fieldNamesOf(object);
  const filters = toProviderFilters(order.request.fieldFilters, names, object);
  const connector = getSearcher(context, installation);
  const { projectId, connectionId } = installation;
  const [live] = await Promise.all([
    context.installations.liveCredentials(projectId, connectionId),
    assertLaneOpen(context, installation, connector),
  ]);
  const records = await askProvider(context, projectId, live, async (used) => {
    const { objectName } = object.declared;
    const call = { auth: authOf(used), objectName, traceparent: order.traceparent };
    const fields = await fieldsToAsk(connector, call, { object, names, filters });
    return connector.search({ ...call, filters, fields, limit: limits.searchPageRecords, signal: order.signal });
  });
  return records.map((record) => toResultItem(record, names, object));
}

function getSearcher({ connectors }: SearchContext, { provider }: InstallationContext): Searcher {
  const connector = connectors.get(provider);
  if (connector.capabilities.search !== false && connector.search !== undefined) return connector as Searcher;
  const detail = `cannot be searched at ${provider}`;
  const issues = [{ in: 'body' as const, name: 'objectName', detail }];
  throw new ValidationError({ code: 'search.capability-missing', detail: `objectName ${detail}.`, issues });
}

/** Searches use the same account as writes do: its block and its quota hold for them too. */
async function assertLaneOpen(
  { store, hints }: SearchContext,
  { projectId, laneId }: InstallationContext,
  { capabilities }: Connector,
): Promise<void> {
  const blockedMs = await store.writes.readLaneBlock({ projectId, laneId });
  if (blockedMs > 0) throw quotaExhausted('The provider account is blocked after it refused a call.', blockedMs);
  const taken = await hints.quotas.take(`${projectId}/${laneId}`, { ...capabilities.quota, priority: 'synchronous' });
  if (!taken.granted) throw quotaExhausted("The customer's provider quota is used up.", taken.retryAfterMs);
}

function quotaExhausted(reason: string, retryAfterMs: number): ProviderError {
  return new ProviderError({ class: 'quota', detail: `${reason} Nothing was sent.`, retryAfterMs });
}

function authOf({ credentials, workspaceRef }: LiveCredentials) {
  const accessToken = credentials.accessToken ?? credentials.apiKey ?? '';
  return { accessToken, ...(workspaceRef === undefined ? {} : { workspaceRef }) };
}
