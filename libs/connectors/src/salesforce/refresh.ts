import type { TokenRefresh } from '../requests';
import type { FreshTokens } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { askForTokens } from './token-call';

/**
 * Changes a refresh token into an access token: at the login, or at the account itself when it is a customer's sandbox.
 * Source: reference B1.
 * @throws ProviderError
 */
export function refresh(api: SalesforceApi, request: TokenRefresh): Promise<FreshTokens> {
  const { refreshToken, clientId, clientSecret } = request;
  const form = {
    grant_type: 'refresh_token',
    client_id: clientId,
    client_secret: clientSecret,
    refresh_token: refreshToken,
  };
  const origin = api.loginOf(request.workspaceRef);
  return askForTokens(api, { ...request, operation: 'refresh', form, origin, secrets: [refreshToken, clientSecret] });
}
