import type { ProviderMetadataItem } from '@sluice/types';

/** What a provider says of an account's place, as members of the connection's metadata. @param source its token reply, or the customer's return */
export function toldMetadata(
  told: Readonly<Record<string, string>>,
  source: 'token' | 'provider' = 'token',
): Readonly<Record<string, ProviderMetadataItem>> {
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, { value, source }] as const));
}
