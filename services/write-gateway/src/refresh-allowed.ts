import { ForbiddenError, ProviderError } from '@sluice/errors';
import type { RefreshUsed } from '@sluice/writes';
import { assertDeletable } from './check-write';
import type { GatewayContext } from './context';
import type { WriteCall } from './resolve-write';

/**
 * How a synchronous call comes to newer credentials after a 401. A refresh may take seconds, and what it leads to is another send:
 * a delete is only made again if the config still allows it.
 */
export function allowedRefresh({ installations }: GatewayContext, call: WriteCall, projectId: string): RefreshUsed {
  return async ({ connectionId, tokenVersion }) => {
    const newer = await installations.refreshCredentials(projectId, connectionId, tokenVersion);
    if (call.request.type !== 'delete') return newer;
    const installation = await installations.resolveAgain(call.names);
    try {
      assertDeletable(installation, call.request, call.objectName);
      return newer;
    } catch (error) {
      if (!(error instanceof ForbiddenError)) throw error;
      // The operation is open by now, so this is its outcome and not a refusal of the request.
      throw new ProviderError({ class: 'rejected', detail: error.detail });
    }
  };
}
