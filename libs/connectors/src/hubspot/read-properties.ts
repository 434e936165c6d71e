import { joinList } from '@sluice/types';
import type { ProviderError } from '@sluice/errors';
import type { AccountCache } from '../account-cache';
import type { ObjectCall, Fields } from '../requests';
import { toProviderError } from '../signals';
import type { HubspotApi } from './call-hubspot';
import { canonicalObjectName } from './urls';
import { isJson, textOf, type Json, textsOf } from './wire';

/** Properties of objects as HubSpot lists them. */
export type PropertyCache = AccountCache<readonly Json[]>;

/**
 * `GET /crm/v3/properties/{object}`, kept for about a minute per credential and object. Source: reference A6.
 * @throws ProviderError
 */
export async function readProperties(
  api: HubspotApi,
  cache: PropertyCache,
  call: ObjectCall,
): Promise<readonly Json[]> {
  const { signal: _, held: __, ...shared } = call;
  return cache.get(call.auth, canonicalObjectName(call.objectName), async () => {
    const path = api.urls.properties(call.objectName);
    const answer = await api.call({ operation: 'properties', method: 'GET', path }, shared);
    if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
    const { results } = answer.body;
    if (Array.isArray(results)) return results.filter(isJson);
    const message = 'HubSpot answered without a list of properties';
    throw toProviderError({ class: 'unavailable', scope: 'call', message }, 'hubspot');
  });
}

/** Every record has one of its own, and none sends it. */
const recordIdProperty = 'hs_object_id';

/**
 * Names of the properties that the account keeps unique, in alphabetical order. Source: reference A2, A6.
 * @throws ProviderError
 */
export async function uniqueProperties(api: HubspotApi, cache: PropertyCache, call: ObjectCall): Promise<string[]> {
  const properties = await readProperties(api, cache, call);
  const unique = properties.filter(({ hasUniqueValue }) => hasUniqueValue === true);
  const names = unique.flatMap(({ name }) => textOf(name) ?? []);
  return names.filter((name) => name !== recordIdProperty).sort();
}

/** Between the choices of a multi-select. Source: reference A2, Values. */
export const listSeparator = ';';

/**
 * Values as HubSpot takes them. Strings, numbers and booleans are sent as given. `null` becomes `""`, which is how
 * HubSpot empties a property; HubSpot documents no meaning of a JSON null there. A list becomes the `;` form of a
 * multi-select, unless that would change its items. Anything else is sent as given, for HubSpot to refuse. Source: reference A2, Values.
 */
export function toProperties(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, toValue(value)]));
}

function toValue(value: unknown): unknown {
  if (value === null) return '';
  return Array.isArray(value) ? joinList(value, listSeparator) : value;
}

/** What an account's schema of one object tells beyond its properties. */
export interface ObjectSchema {
  /** Plural: `Contacts`. */
  readonly label?: string;
  readonly requiredFields: ReadonlySet<string>;
  /** Association type id to the type ids of the objects it can point to: `279` to `0-2`. */
  readonly targets: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Kept answers; undefined where the account or its scopes have no schema of the object. */
export type SchemaCache = AccountCache<ObjectSchema | undefined>;

/**
 * `GET /crm-object-schemas/…/schemas/{object}`. Standard objects may answer 403 or 404, which is no failure here.
 * Source: reference A4, A6.
 * @throws ProviderError
 */
export async function readSchema(
  api: HubspotApi,
  cache: SchemaCache,
  call: ObjectCall,
): Promise<ObjectSchema | undefined> {
  // Without the caller's signal: others may be waiting for the same answer.
  const { signal: _, held: __, ...shared } = call;
  return cache.get(call.auth, canonicalObjectName(call.objectName), async () => {
    const path = api.urls.schema(call.objectName);
    const answer = await api.call({ operation: 'schema', method: 'GET', path }, shared);
    if (answer.ok) return toSchema(answer.body);
    const error = toProviderError(answer.failure, 'hubspot');
    if (isWithheld(error)) return undefined;
    throw error;
  });
}

function isWithheld(error: ProviderError): boolean {
  return error.class === 'forbidden' || error.meta['status'] === 404;
}

function toSchema(body: Json): ObjectSchema {
  const label = isJson(body['labels']) ? textOf(body['labels']['plural']) : undefined;
  const own = textOf(body['objectTypeId']);
  const targets = new Map<string, Set<string>>();
  for (const type of listOf(body['associations'])) {
    const [id, to, from] = [textsOf(type['id'])[0], textOf(type['toObjectTypeId']), textOf(type['fromObjectTypeId'])];
    if (id === undefined || to === undefined || (own !== undefined && from !== undefined && from !== own)) continue;
    targets.set(id, (targets.get(id) ?? new Set()).add(to));
  }
  return {
    ...(label !== undefined && { label }),
    requiredFields: new Set(textsOf(body['requiredProperties'])),
    targets,
  };
}

function listOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}
