import type { FreshTokens } from '@sluice/connectors';
import { ProviderError } from '@sluice/errors';
import type { OAuthState } from '@sluice/store';
import { metadataValues } from '@sluice/types';
import { tokenCallMs, type RefreshSource } from './ask-for-tokens';
import { unsealClientSecret, unsealVerifier } from './seal-credentials';

/** A code that a provider's page gave, with the authorization that it answers. */
export interface ReturnedCode {
  readonly code: string;
  readonly state: OAuthState;
  readonly traceparent: string;
}

/** Changes an authorization code into tokens, as the builder's app. The app's secret and the verifier stay in here. */
export type ExchangeCode = (returned: ReturnedCode) => Promise<FreshTokens>;

/** @throws ProviderError `credentials` for a refused code, `rejected` for a refused app or one that is gone */
export function codeExchanger({ store, keyring, connectors }: RefreshSource): ExchangeCode {
  return async ({ code, state, traceparent }) => {
    const { projectId, provider, providerAppId, stateHash, redirectUri, workspaceRef } = state;
    const { providerMetadata: metadata } = state;
    const app = await store.providerApps.findClient(projectId, provider, providerAppId);
    const connector = connectors.find(provider);
    if (app === undefined || connector?.exchangeCode === undefined) {
      const detail = `The provider app ${providerAppId} of ${provider} is gone.`;
      throw new ProviderError({ class: 'rejected', detail });
    }
    return await connector.exchangeCode({
      code,
      redirectUri,
      codeVerifier: unsealVerifier(keyring, stateHash, state.sealedVerifier),
      clientId: app.clientId,
      clientSecret: unsealClientSecret(keyring, app.id, app.sealed),
      ...(workspaceRef === undefined ? {} : { workspaceRef }),
      ...(metadata === undefined ? {} : { metadata: metadataValues(metadata) }),
      traceparent,
      signal: AbortSignal.timeout(tokenCallMs),
    });
  };
}
