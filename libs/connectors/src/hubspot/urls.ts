/**
 * `v3` is the legacy layout that every account still serves; `2026-03` is the date version, with the version after
 * the noun. Source: HubSpot's published OpenAPI collection; amp-labs connectors, internal/core/version.go.
 */
export type HubspotVersion = 'v3' | '2026-03';

/** Paths of one version. The only place that spells a HubSpot path. */
export interface HubspotUrls {
  /** Create. */
  objects(objectName: string): string;
  /** Update. */
  object(objectName: string, recordId: string): string;
  batch(objectName: string, action: 'create' | 'update' | 'read'): string;
  search(objectName: string): string;
  readonly account: string;
}

/** Everything a path of ours consists of once names and ids are percent-encoded. No dot, so no `..`; no `%`. */
const safePath = /^[\w/-]+$/;

/** False when an object name or a record id brought in a character that HubSpot's names and ids do not have. */
export function isSafePath(path: string): boolean {
  return safePath.test(path) && !path.includes('//') && !path.endsWith('/');
}

/** Names and ids are percent-encoded, so one of them can never add a segment. */
export function hubspotUrls(version: HubspotVersion): HubspotUrls {
  const root = version === 'v3' ? '/crm/v3/objects' : `/crm/objects/${version}`;
  const objects = (objectName: string) => `${root}/${encodeURIComponent(objectName)}`;
  return {
    objects,
    object: (objectName, recordId) => `${objects(objectName)}/${encodeURIComponent(recordId)}`,
    batch: (objectName, action) => `${objects(objectName)}/batch/${action}`,
    search: (objectName) => `${objects(objectName)}/search`,
    account: `/account-info/${version}/details`,
  };
}
