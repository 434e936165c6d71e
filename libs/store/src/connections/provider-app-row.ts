import type { ProviderApp } from '@sluice/types';
import { resourceTimes } from '../resource-time';

/** A provider app as it is shown. Never holds the sealed secret. */
export interface ProviderAppRow {
  project_id: string;
  id: string;
  provider: string;
  external_ref: string | null;
  client_id: string;
  scopes: string[] | null;
  metadata: string | null;
  created_at: Date;
  updated_at: Date | null;
}

/** Columns of a `ProviderAppRow`. */
export const providerAppColumns = [
  'project_id',
  'id',
  'provider',
  'external_ref',
  'client_id',
  'scopes',
  'metadata',
  'created_at',
  'updated_at',
] as const;

export function toProviderApp(row: ProviderAppRow): ProviderApp {
  return {
    id: row.id,
    projectId: row.project_id,
    provider: row.provider,
    clientId: row.client_id,
    ...(row.external_ref === null ? {} : { externalRef: row.external_ref }),
    ...(row.scopes === null ? {} : { scopes: row.scopes }),
    ...(row.metadata === null ? {} : { metadata: JSON.parse(row.metadata) as NonNullable<ProviderApp['metadata']> }),
    ...resourceTimes(row),
  };
}
