import type { FreshTokens } from '@sluice/connectors';
import type { Logger } from '@sluice/telemetry';
import { isSameWorkspace, type LiveCredentials } from '@sluice/types';

/** Says what became of a place that a reply to a refresh named. What is not followed needs a person: the account may answer there no more. */
export function tellPlace(logger: Logger, names: object, live: LiveCredentials, fresh: FreshTokens): void {
  const { metadata: to, refusedPlace, workspaceRef: told } = fresh;
  if (to !== undefined) logger.warn({ ...names, to }, 'connection.moved');
  if (refusedPlace !== undefined) logger.warn({ ...names, reason: refusedPlace }, 'connection.place-refused');
  const known = live.workspaceRef;
  if (known === undefined || told === undefined || isSameWorkspace(known, told)) return;
  const reason = `${live.provider} names the workspace ${told}; the connection stays at ${known} until it connects again`;
  logger.warn({ ...names, reason }, 'connection.place-refused');
}
