import type { ProviderError } from '@sluice/errors';
import type { AccountCache } from '../account-cache';
import type { ObjectCall } from '../requests';
import { toProviderError } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';
import { canonicalObjectName } from './object-names';
import { isJson, textOf, textsOf, type Json } from './wire';

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
