import { ValidationError } from '@sluice/errors';
import { fieldFault, fieldOfObject, type Auth, type Connector, type ProviderRecord } from '@sluice/connectors';
import { callAccount } from '@sluice/installations';
import type { InstallationNames } from '@sluice/store';
import { currentStep, type HeldBytes } from '@sluice/telemetry';
import { limits, type InstallationContext, type SearchRequest, type SearchResultItem } from '@sluice/types';
import { blockingRefused, checkModule, laneBlocked, takeLaneQuota } from '@sluice/writes';
import type { SearchContext } from './context';
import {
  fieldNamesOf,
  getSearchableObject,
  type FieldNames,
  fieldsToAsk,
  toProviderFilters,
  toResultItem,
} from './searchable-object';

/** A search whose body is checked, with what came beside the body. */
export interface SearchOrder {
  readonly names: InstallationNames;
  readonly request: SearchRequest;
  readonly traceparent: string;
  /** The caller left: nobody reads the answer. */
  readonly signal: AbortSignal;
  /** Until the reply is sent, it holds what the provider's page takes. */
  readonly held: HeldBytes;
}

type Searcher = Connector & Required<Pick<Connector, 'search'>>;

/**
 * One page of the provider's records that equal every filter, each built when it is requested: a page may have 10 MB. Installation, credentials and
 * the account's block are read as they are now, in one statement, so a change is in force for the next search.
 * @throws ProviderError for what the provider refuses; nothing is retried
 */
export async function searchRecords(context: SearchContext, order: SearchOrder): Promise<Iterable<SearchResultItem>> {
  const { installation, blockedMs, live } = await context.installations.resolveAccount(order.names);
  const object = getSearchableObject(installation, order.request.objectName);
  const connector = getSearcher(context, installation);
  const { fields: ofFields } = connector.capabilities;
  const { objectName } = object.declared;
  const names = fieldNamesOf(object, ofFields.names, fieldOfObject(ofFields, objectName));
  const filters = toProviderFilters(order.request.fieldFilters, names, (name) =>
    fieldFault(ofFields, objectName, name),
  );
  const { projectId, connectionId, laneId, groupRef, provider } = installation;
  currentStep()?.note({ objectName, provider: installation.provider });
  // The same account as writes use: its block holds for searches too, and so does its quota where they have none of their own.
  if (blockedMs > 0) throw laneBlocked(blockedMs);
  const known = await live();
  const quotas = context.pace(order.signal);
  await takeLaneQuota({ store: context.store, quotas }, { projectId, laneId }, connector);
  const ask = async (auth: Auth): Promise<ProviderRecord[]> => {
    const call = { auth, objectName, traceparent: order.traceparent };
    const fields = await fieldsToAsk(connector, call, { object, names, filters });
    return connector.search({
      ...call,
      filters,
      fields,
      limit: limits.searchPageRecords,
      signal: order.signal,
      held: order.held,
    });
  };
  const records = await blockingRefused(context, { projectId, laneId, connector, used: { provider, groupRef } }, () =>
    callAccount(context, { projectId, connectionId }, ask, known),
  );
  return itemsOf(records, names);
}

function* itemsOf(records: readonly ProviderRecord[], names: FieldNames): Generator<SearchResultItem> {
  for (const record of records) yield toResultItem(record, names);
}

function getSearcher({ connectors }: SearchContext, { provider, manifest }: InstallationContext): Searcher {
  const connector = connectors.get(provider);
  checkModule(connector, manifest.module, 'search.capability-missing');
  if (connector.capabilities.search !== false && connector.search !== undefined) return connector as Searcher;
  const detail = `cannot be searched at ${provider}`;
  const issues = [{ in: 'body' as const, name: 'objectName', detail }];
  throw new ValidationError({ code: 'search.capability-missing', detail: `objectName ${detail}.`, issues });
}
