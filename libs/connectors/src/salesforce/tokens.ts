import { textOf } from '../http-client';
import type { AuthorizationRequest } from '../requests';
import type { FreshTokens } from '../results';
import { freshTokens, requestCode, requestTokens, type TokenRequest } from '../tokens';
import { salesforce, type SalesforceApi, workspaceRefOf } from './call-salesforce';
import { rejected } from './describe';
import { tokenRows } from './failure-tables';
import { idKey, paths } from './wire';

/**
 * The address of the login page, at the account itself when it is a customer's sandbox. The code is exchanged at the same
 * host. Source: reference B1, "OAuth"; RFC 7636.
 */
export function authorizationUrl(api: SalesforceApi, request: AuthorizationRequest): string {
  const page = new URL(`${api.loginOf(request.workspaceRef)}${paths.authorize}`);
  page.searchParams.set('response_type', 'code');
  return requestCode(page, request);
}

/**
 * `POST /services/oauth2/token`, for a code, a refresh token, or a client's or user's own credentials. Sent to the login, or to the account itself
 * when it is a customer's sandbox. Client credentials are taken at the My Domain only, so the account must be known. Salesforce takes no scopes with
 * credentials of the connection's own: they are a setting of the app. The reply names no end of life: the session's timeout is a setting of the
 * account. A new refresh token means that the account rotates them and the old one is dead. Source: reference B1 names the hosts. The flows without a
 * page follow Salesforce's public help and were never tried against a live account. Help pages: "OAuth 2.0 Client Credentials Flow", "OAuth 2.0
 * Username-Password Flow".
 * @throws ProviderError
 */
export async function tokensFor(api: SalesforceApi, request: TokenRequest): Promise<FreshTokens> {
  const address = { origin: originOf(api, request), path: paths.token };
  const endpoint = { dialect: salesforce, http: api.http, ...address, table: tokenRows };
  const reply = await requestTokens(endpoint, request);
  const { body } = reply;
  const scopes = textOf(body['scope'])?.split(' ').filter(Boolean) ?? [];
  const instanceUrl = textOf(body['instance_url']);
  const workspaceRef = workspaceRefOf(instanceUrl);
  const [accountId, consumerRef] = identityOf(textOf(body['id']));
  const refusedAddress = api.isOverridden ? undefined : foreignOf(instanceUrl);
  return {
    ...freshTokens(reply, textOf(body['refresh_token']), undefined, scopes),
    ...(workspaceRef !== undefined && { workspaceRef }),
    ...(accountId !== undefined && { accountId: idKey(accountId) }),
    ...(consumerRef !== undefined && { consumerRef }),
    ...(refusedAddress !== undefined && { refusedAddress }),
  };
}

/** Why an address is not one of Salesforce; undefined where it is, or there is none. */
function foreignOf(url: string | undefined): string | undefined {
  if (url === undefined || URL.parse(url)?.hostname.endsWith('.salesforce.com')) return undefined;
  return `instance_url names a host outside of salesforce.com: ${url.slice(0, 80)}`;
}

function originOf(api: SalesforceApi, request: TokenRequest): string {
  if (!('grantType' in request) || request.grantType === 'password') return api.loginOf(request.workspaceRef);
  const instance = api.instanceOf(request.workspaceRef);
  if (!instance.ok) throw rejected(instance.message);
  return instance.origin;
}

/** Organization and user of an identity URL: `https://login.salesforce.com/id/<organization>/<user>`. */
function identityOf(identityUrl = ''): readonly (string | undefined)[] {
  return /\/id\/(\w{15,18})\/(\w{15,18})$/.exec(identityUrl)?.slice(1) ?? [];
}
