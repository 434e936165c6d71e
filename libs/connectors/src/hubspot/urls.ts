const root = '/crm/v3/objects';

/** Every path. The only place that spells one; names and ids are percent-encoded, so none can add a segment. Source: reference A1. */
export const paths = {
  /** Create. */
  objects: (objectName: string) => `${root}/${encode(objectName)}`,
  /** Update and delete. */
  object: (objectName: string, recordId: string) => `${paths.objects(objectName)}/${encode(recordId)}`,
  batch: (objectName: string, action: 'create' | 'update' | 'upsert' | 'read') =>
    `${paths.objects(objectName)}/batch/${action}`,
  search: (objectName: string) => `${paths.objects(objectName)}/search`,
  /** The object's fields. */
  properties: (objectName: string) => `/crm/v3/properties/${encode(objectName)}`,
  /** The object's required fields, and the types of its associations. Schemas have no other layout that is current. */
  schema: (objectName: string) => `/crm-object-schemas/2026-03/schemas/${encode(objectName)}`,
  /** Links between records of two objects. */
  associations: (from: string, to: string) => `/crm/associations/2026-03/${encode(from)}/${encode(to)}/batch/create`,
  account: '/account-info/v3/details',
  /** Where a refresh token is changed. */
  token: '/oauth/2026-03/token',
} as const;

/** Every character of our paths once names and ids are percent-encoded. No dot, so no `..`; no `%`. */
const safePath = /^[\w/-]+$/;

/** False when an object name or a record id brought in a character that HubSpot's names and ids do not have. */
export function isSafePath(path: string): boolean {
  return safePath.test(path) && !path.includes('//') && !path.endsWith('/');
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
