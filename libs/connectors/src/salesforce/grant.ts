import type { TokenGrant } from '../requests';
import type { FreshTokens } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { rejected } from './describe';
import { askForTokens } from './token-call';

/**
 * Tokens for a client's or a user's own credentials. Client credentials are taken at the My Domain only, so the account
 * must be known; a user logs in where a refresh goes. Salesforce takes no scopes with either: they are a setting of the app.
 * Source: reference B1 names the hosts; the two flows follow Salesforce's public help ("OAuth 2.0 Client Credentials Flow",
 * "OAuth 2.0 Username-Password Flow"), never tried against a live account.
 * @throws ProviderError
 */
export async function grant(api: SalesforceApi, request: TokenGrant): Promise<FreshTokens> {
  const { clientId, clientSecret, workspaceRef } = request;
  const client = { grant_type: request.grantType, client_id: clientId, client_secret: clientSecret };
  const call = { ...request, operation: 'grant' as const, isOwnClient: true };
  if (request.grantType === 'password') {
    const { username, password } = request;
    const form = { ...client, username, password };
    return askForTokens(api, { ...call, form, origin: api.loginOf(workspaceRef), secrets: [password, clientSecret] });
  }
  const instance = api.instanceOf(workspaceRef);
  if (!instance.ok) throw rejected(instance.message);
  return askForTokens(api, { ...call, form: client, origin: instance.origin, secrets: [clientSecret] });
}
