import type { Connector } from '@sluice/connectors';
import { NotFoundError } from '@sluice/errors';
import type { ManagementContext } from '../context';
import { contradiction } from '../refuse-issues';

/**
 * The connector of a provider that a body names.
 * @param name member of the body
 * @throws ValidationError `provider.unknown`, 422, naming the known ones
 */
export function getConnector({ connectors }: ManagementContext, provider: string, name: string): Connector {
  try {
    return connectors.get(provider);
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    throw contradiction({ code: 'provider.unknown', name, detail: `is refused: ${error.detail}`, value: provider });
  }
}
