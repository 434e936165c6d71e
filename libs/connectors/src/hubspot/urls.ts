/**
 * `v3` is the legacy layout that every account still serves; `2026-03` is the date version, with the version after
 * the noun. Source: HubSpot's published OpenAPI collection; amp-labs connectors, internal/core/version.go.
 */
export type HubspotVersion = 'v3' | '2026-03';

/** Paths of one version. No other file spells a HubSpot path. */
export interface HubspotUrls {
  /** Create. */
  objects(objectName: string): string;
  /** Update and delete. */
  object(objectName: string, recordId: string): string;
  batch(objectName: string, action: 'create' | 'update' | 'upsert' | 'read'): string;
  search(objectName: string): string;
  /** The object's fields. */
  properties(objectName: string): string;
  /** The object's required fields, and the types of its associations. */
  schema(objectName: string): string;
  /** Links between records of two objects. */
  associations(from: string, to: string): string;
  readonly account: string;
  /** What a private app's key may do. */
  readonly tokenInfo: string;
  /** Where a refresh token is changed. */
  readonly token: string;
}

/** Every character of our paths once names and ids are percent-encoded. No dot, so no `..`; no `%`. */
const safePath = /^[\w/-]+$/;

/** False when an object name or a record id brought in a character that HubSpot's names and ids do not have. */
export function isSafePath(path: string): boolean {
  return safePath.test(path) && !path.includes('//') && !path.endsWith('/');
}

/** Names and ids are percent-encoded, so one of them can never add a segment. */
export function hubspotUrls(version: HubspotVersion): HubspotUrls {
  const isLegacy = version === 'v3';
  const root = isLegacy ? '/crm/v3/objects' : `/crm/objects/${version}`;
  const links = isLegacy ? '/crm/v4/associations' : `/crm/associations/${version}`;
  const objects = (objectName: string) => `${root}/${encode(objectName)}`;
  return {
    objects,
    object: (objectName, recordId) => `${objects(objectName)}/${encode(recordId)}`,
    batch: (objectName, action) => `${objects(objectName)}/batch/${action}`,
    search: (objectName) => `${objects(objectName)}/search`,
    // One path in both layouts: the date version of properties is not there, schemas have no other that is current.
    properties: (objectName) => `/crm/v3/properties/${encode(objectName)}`,
    schema: (objectName) => `/crm-object-schemas/2026-03/schemas/${encode(objectName)}`,
    associations: (from, to) => `${links}/${encode(from)}/${encode(to)}/batch/create`,
    token: '/oauth/v1/token',
    tokenInfo: '/oauth/v2/private-apps/get/access-token-info',
    account: `/account-info/${version}/details`,
  };
}

/** Half of a surrogate pair has no encoding; its replacement is not safe either, so the path is refused. */
function encode(segment: string): string {
  return encodeURIComponent(segment.toWellFormed());
}

/** Each object by the names that HubSpot takes for it in a path: plural first, then singular and type id. Source: reference A1. */
const objects = [
  ['contacts', 'contact', '0-1'],
  ['companies', 'company', '0-2'],
  ['deals', 'deal', '0-3'],
  ['tickets', 'ticket', '0-5'],
  ['products', 'product', '0-7'],
  ['line_items', 'line_item', '0-8'],
] as const;

const canonical = new Map<string, string>(objects.flatMap((names) => names.map((name) => [name, names[0]])));

/** One name per object, so that `contacts` and `0-1` are the same. An object that is not listed keeps its name. */
export function canonicalObjectName(objectName: string): string {
  return canonical.get(objectName) ?? objectName;
}
