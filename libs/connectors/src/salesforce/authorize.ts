import type { AuthorizationRequest, CodeExchange } from '../requests';
import type { FreshTokens } from '../results';
import type { SalesforceApi } from './call-salesforce';
import { paths } from './paths';
import { askForTokens } from './token-call';

/**
 * The address of the login page, at the account itself when it is a customer's sandbox. The code is exchanged at the same
 * host. Source: reference B1, "OAuth"; RFC 7636.
 */
export function authorizationUrl(api: SalesforceApi, request: AuthorizationRequest): string {
  const { clientId, redirectUri, state, codeChallenge, scopes = [], workspaceRef } = request;
  const url = new URL(`${api.loginOf(workspaceRef)}${paths.authorize}`);
  url.searchParams.set('response_type', 'code');
  url.searchParams.set('client_id', clientId);
  url.searchParams.set('redirect_uri', redirectUri);
  if (scopes.length > 0) url.searchParams.set('scope', scopes.join(' '));
  url.searchParams.set('state', state);
  url.searchParams.set('code_challenge', codeChallenge);
  url.searchParams.set('code_challenge_method', 'S256');
  return url.href;
}

/**
 * Changes a code into tokens. Source: reference B1; RFC 6749, 4.1.3.
 * @throws ProviderError
 */
export function exchangeCode(api: SalesforceApi, request: CodeExchange): Promise<FreshTokens> {
  const { code, redirectUri, codeVerifier, clientId, clientSecret, workspaceRef } = request;
  const form = {
    grant_type: 'authorization_code',
    client_id: clientId,
    client_secret: clientSecret,
    redirect_uri: redirectUri,
    code,
    code_verifier: codeVerifier,
  };
  const [origin, secrets] = [api.loginOf(workspaceRef), [code, codeVerifier, clientSecret]];
  return askForTokens(api, { ...request, operation: 'exchange-code', form, origin, secrets });
}
