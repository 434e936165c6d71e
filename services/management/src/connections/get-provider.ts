import type { Connector } from '@sluice/connectors';
import { NotFoundError } from '@sluice/errors';
import type { ManagementContext } from '../context';

/**
 * The connector of a provider that a path names.
 * @throws NotFoundError `provider.not-in-catalogue`
 */
export function getProvider({ connectors }: ManagementContext, name: string): Connector {
  const connector = connectors.find(name);
  if (connector !== undefined) return connector;
  const known = connectors
    .all()
    .map(({ provider }) => provider)
    .join(', ');
  const detail = `provider: there is no provider "${name.slice(0, 100)}"; known: ${known}.`;
  throw new NotFoundError({ code: 'provider.not-in-catalogue', detail });
}
