import type { Issue } from '@sluice/errors';
import { bodyIssue } from './problem';
import { checkConnectionCredentials } from './connection-credentials';
import type { UpdateConnectionRequest } from './connection-request';
import { checkNamedWorkspace } from './workspace-metadata';

/**
 * Rules of an update-connection body, after its schema: each named field has a value (only
 * `providerMetadata` is cleared by naming it without one), and at most one kind of credentials is named. Values beside the mask
 * are ignored.
 */
export function checkUpdateConnectionRequest({ updateMask, connection }: UpdateConnectionRequest): Issue[] {
  const named = maskedConnection({ updateMask, connection });
  const missing = updateMask.flatMap((field) =>
    field === 'providerMetadata' || connection[field] !== undefined
      ? []
      : [bodyIssue(`connection.${field}`, 'is required, because updateMask names it')],
  );
  return [...missing, ...checkConnectionCredentials(named, 'connection'), ...checkNamedWorkspace(named, 'connection.')];
}

/** The values that the mask names. */
export function maskedConnection({
  updateMask,
  connection,
}: UpdateConnectionRequest): UpdateConnectionRequest['connection'] {
  const named = updateMask.filter((field) => connection[field] !== undefined);
  return Object.fromEntries(named.map((field) => [field, connection[field]]));
}
