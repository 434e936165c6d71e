import { toldMetadata } from '@sluice/installations';
import type { OAuthState } from '@sluice/store';
import type { ManagementContext } from '../context';
import { contradiction } from '../refuse-issues';

/**
 * Where the parameters of a customer's return say that the account is; empty where they say nothing.
 * @throws ValidationError for a parameter that names no place of the provider, or another one than its neighbour
 */
export function returnedMetadata(
  { connectors }: Pick<ManagementContext, 'connectors'>,
  provider: string,
  parameters: Readonly<Record<string, string>>,
): NonNullable<OAuthState['providerMetadata']> {
  const place = connectors.get(provider).returnedPlace?.(parameters);
  if (place === undefined) return {};
  if (place.ok) return toldMetadata(place.metadata, 'provider');
  const { parameter, rule, value } = place;
  throw contradiction({
    code: 'connection.scheme-mismatch',
    name: `The parameter ${parameter} of the return from ${provider}`,
    detail: `must be ${rule}, not '${value}'; begin again, with an account at one of its places`,
    value,
  });
}
