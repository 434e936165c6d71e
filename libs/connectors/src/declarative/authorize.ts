import type { AuthorizationRequest } from '../requests';
import { toProviderError } from '../thrown-failure';
import type { DeclaredApi } from './call-provider';
import type { DeclaredOAuth2 } from './declaration';
import { addressOf } from './origin';

/**
 * The address of the page where a customer allows the app in. Source: RFC 6749, 4.1.1; RFC 7636, 4.3.
 * @throws ProviderError `rejected` when the address needs something of the account that is not given
 */
export function authorizationUrl(
  { file, override }: DeclaredApi,
  { authorizeUrl = '', grants, scopeSeparator = ' ' }: DeclaredOAuth2,
  request: AuthorizationRequest,
): string {
  const { clientId, redirectUri, state, codeChallenge, scopes = [] } = request;
  const place = addressOf(file, authorizeUrl, request, override);
  if (!place.ok) throw toProviderError({ class: 'rejected', scope: 'call', message: place.message }, file.name);
  const url = new URL(place.origin);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  url.searchParams.set('state', state);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(scopeSeparator));
  if (grants.includes('authorizationCodePKCE')) {
    url.searchParams.set('code_challenge', codeChallenge);
    url.searchParams.set('code_challenge_method', 'S256');
  }
  return url.href;
}
