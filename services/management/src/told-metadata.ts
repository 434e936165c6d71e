import type { FreshTokens } from '@sluice/connectors';
import type { ProviderMetadataItem } from '@sluice/types';

/** What a token reply says of the account's place; undefined: nothing. */
export function toldMetadata({ metadata }: FreshTokens): Readonly<Record<string, ProviderMetadataItem>> | undefined {
  if (metadata === undefined) return undefined;
  const told = Object.entries(metadata).map(([name, value]) => [name, { value, source: 'token' }] as const);
  return Object.fromEntries(told);
}
