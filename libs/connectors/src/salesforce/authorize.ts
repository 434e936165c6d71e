import { askingForCode, exchangeForm } from '../code-grant';
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
  const page = new URL(`${api.loginOf(request.workspaceRef)}${paths.authorize}`);
  page.searchParams.set('response_type', 'code');
  return askingForCode(page, request);
}

/**
 * Changes a code into tokens. Source: reference B1; RFC 6749, 4.1.3.
 * @throws ProviderError
 */
export function exchangeCode(api: SalesforceApi, request: CodeExchange): Promise<FreshTokens> {
  const origin = api.loginOf(request.workspaceRef);
  return askForTokens(api, { ...request, ...exchangeForm(request), operation: 'exchange-code', origin });
}
