import { cleanText, toProviderError } from '../failures';
import type { HttpRequest } from '../http-client';
import type { Json } from '../json';
import type { CodeExchange, TokenGrant, TokenRefresh } from '../requests';
import type { FreshTokens } from '../results';
import { codeGrant, freshTokens, ownGrant, refreshGrant, requestTokens, withClient, type Grant } from '../tokens';
import { waitOf } from './classify';
import type { DeclaredApi } from './call-provider';
import type { DeclaredOAuth2 } from './declaration';
import { tokenTable } from './failure-table';
import { textAt } from './template';
import { addressOf, otherwise, reportedVariables } from './variables';

type TokenCall = (CodeExchange | TokenRefresh | TokenGrant) & Grant;

/** Source: RFC 6749, section 6. @throws ProviderError */
export function refresh(api: DeclaredApi, oauth2: DeclaredOAuth2, request: TokenRefresh): Promise<FreshTokens> {
  return tokensFor(api, oauth2, { ...request, ...refreshGrant(request) });
}

/** Source: RFC 6749, 4.1.3; RFC 7636, 4.5. @throws ProviderError */
export function exchangeCode(api: DeclaredApi, oauth2: DeclaredOAuth2, request: CodeExchange): Promise<FreshTokens> {
  const isVerified = oauth2.grants.includes('authorizationCodePKCE');
  return tokensFor(api, oauth2, { ...request, ...codeGrant(request, isVerified) });
}

/** Source: RFC 6749, 4.3 and 4.4. The app is the connection's own, so that what is refused is its credentials. @throws ProviderError */
export function grant(api: DeclaredApi, oauth2: DeclaredOAuth2, request: TokenGrant): Promise<FreshTokens> {
  return tokensFor(api, oauth2, { ...request, ...ownGrant(request) });
}

async function tokensFor(api: DeclaredApi, oauth2: DeclaredOAuth2, call: TokenCall): Promise<FreshTokens> {
  const { file, dialect, http, override } = api;
  const address = addressOf(file, oauth2.tokenUrl, call, override);
  if (!address.ok) throw toProviderError({ class: 'rejected', scope: 'call', message: address.message }, file.name);
  const endpoint = {
    dialect,
    http,
    table: tokenTable,
    errorOf: (body: Json) => ({
      code: textAt(body, '/error'),
      text: textAt(body, '/error_description') ?? textAt(body, '/message'),
    }),
    waitOf: (headers: Readonly<Record<string, string>>, now: number) => waitOf(headers, now, file.waits),
  };
  const reply = await requestTokens(endpoint, { ...call, sent: toRequest(address.origin, oauth2, call) });
  const { body } = reply;
  const scopes = (textAt(body, '/scope') ?? '').split(/[\s,]+/).filter(Boolean);
  const tokens = freshTokens(reply, textAt(body, '/refresh_token'), textAt(body, '/expires_in'), scopes);
  return { ...tokens, ...reportedAddress(api, call, body) };
}

/** The address of the account according to the reply, and what of it becomes the connection's. @throws ProviderError, for a refresh never */
function reportedAddress(
  api: DeclaredApi,
  call: TokenCall,
  body: Json,
): Pick<FreshTokens, 'metadata' | 'refusedAddress'> {
  const { file } = api;
  const reported = reportedVariables(file, body);
  if (reported.ok) {
    const other = call.operation === 'exchange-code' ? reported.metadata : otherwise(file, reported.metadata, call);
    const [first] = Object.entries(other);
    if (first === undefined) return {};
    // A connection with credentials of its own named the address itself, and has none of these tokens yet.
    if (call.operation === 'grant') throw addressRefusal(api, call, elsewhere(first));
    return { metadata: other };
  }
  const message = cleanText(reported.message, ...call.secrets, call.clientSecret);
  // The old refresh token may be dead, so the pair must not be lost whatever else the reply says.
  if (call.operation === 'refresh') return { refusedAddress: message };
  throw addressRefusal(api, call, message);
}

const elsewhere = ([name, value]: readonly [string, string]) =>
  `the account is at another address: providerMetadata.${name} must be ${value}`;

function addressRefusal({ file }: DeclaredApi, call: TokenCall, fault: string) {
  const message = cleanText(fault, ...call.secrets, call.clientSecret);
  return toProviderError({ class: 'rejected', scope: 'call', message }, file.name);
}

function toRequest(address: string, { client = 'body' }: DeclaredOAuth2, call: TokenCall): Omit<HttpRequest, 'method'> {
  const { origin, pathname: path } = new URL(address);
  if (client === 'body') return { origin, path, headers: {}, form: withClient(call.form, call) };
  // RFC 6749, 2.3.1: id and secret are form-encoded before they are joined.
  const pair = `${encodeURIComponent(call.clientId)}:${encodeURIComponent(call.clientSecret)}`;
  return { origin, path, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, form: call.form };
}
