import type { TokenRefresh } from '../requests';
import type { FreshTokens } from '../results';
import type { HubspotApi } from './call-hubspot';
import { askForTokens } from './token-call';

/**
 * Changes a refresh token into an access token. The refresh token of the reply is normally the old one.
 * Source: reference A1; RFC 6749, section 6.
 * @throws ProviderError
 */
export function refresh(api: HubspotApi, request: TokenRefresh): Promise<FreshTokens> {
  const { refreshToken, clientId, clientSecret } = request;
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  return askForTokens(api, { ...request, operation: 'refresh', form, secrets: [refreshToken, clientSecret] });
}
