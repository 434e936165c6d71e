import type { ProviderCall } from '../requests';
import { toProviderError } from '../thrown-failure';
import type { HubspotApi } from './call-hubspot';

/**
 * `POST /oauth/v2/private-apps/get/access-token-info`: what a private app's key may do. The key goes in the body as well as in the
 * header, to the same host. An OAuth token is told only to its app, with the app's secret (D): undefined.
 * Source: HubSpot developer documentation, private apps (D).
 * @throws ProviderError
 */
export async function scopes(api: HubspotApi, call: ProviderCall): Promise<readonly string[] | undefined> {
  const { accessToken } = call.auth;
  if (!accessToken.startsWith('pat-')) return undefined;
  const request = {
    operation: 'scopes',
    method: 'POST',
    path: api.urls.tokenInfo,
    body: { tokenKey: accessToken },
  } as const;
  const answer = await api.call(request, call);
  if (!answer.ok) throw toProviderError(answer.failure, 'hubspot');
  const { scopes: told } = answer.body;
  return Array.isArray(told) ? told.filter((scope) => typeof scope === 'string') : undefined;
}
