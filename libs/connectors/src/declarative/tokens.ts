import { toProviderError } from '../provider-call';
import type { HttpReply, Json } from '../http-client';
import type { FreshTokens } from '../results';
import { freshTokens, requestTokens, type TokenRequest, withoutSecrets } from '../tokens';
import { waitOf } from './classify';
import type { DeclaredApi } from './call-provider';
import type { DeclaredOAuth2 } from './declaration';
import { declaredTokenTable } from './failure-table';
import { textAt } from './template';
import { addressOf, otherwise, reportedVariables } from './variables';

/** For a code, a refresh token, or the connection's own credentials: of these what is refused is the connection's. @throws ProviderError */
export async function tokensFor(api: DeclaredApi, oauth2: DeclaredOAuth2, request: TokenRequest): Promise<FreshTokens> {
  const { file, dialect, http, override } = api;
  const address = addressOf(file, oauth2.tokenUrl, request, override);
  if (!address.ok) throw toProviderError({ class: 'rejected', scope: 'call', message: address.message }, file.name);
  const { origin, pathname: path } = new URL(address.origin);
  const endpoint = {
    dialect,
    http,
    origin,
    path,
    table: declaredTokenTable(oauth2, file.facts),
    waitOf: (reply: HttpReply | undefined, now: number) => waitOf(reply, now, file.waits),
    client: oauth2.client,
    isChallenged: oauth2.grants.includes('authorizationCodePKCE'),
  };
  const reply = await requestTokens(endpoint, request);
  const { body } = reply;
  const scopes = (textAt(body, '/scope') ?? '').split(/[\s,]+/).filter(Boolean);
  const tokens = freshTokens(reply, textAt(body, '/refresh_token'), textAt(body, '/expires_in'), scopes);
  return { ...tokens, ...reportedAddress(api, request, body) };
}

/** The account's address according to the reply, and the part of it that the connection keeps. @throws ProviderError, for a refresh never */
function reportedAddress(
  { file }: DeclaredApi,
  request: TokenRequest,
  body: Json,
): Pick<FreshTokens, 'metadata' | 'refusedAddress'> {
  const refusal = (fault: string) =>
    toProviderError({ class: 'rejected', scope: 'call', message: withoutSecrets(fault, request) }, file.name);
  const reported = reportedVariables(file, body);
  if (reported.ok) {
    const other = 'code' in request ? reported.metadata : otherwise(file, reported.metadata, request);
    const [first] = Object.entries(other);
    if (first === undefined) return {};
    // A connection with credentials of its own named the address itself, and has none of these tokens yet.
    if ('grantType' in request) throw refusal(elsewhere(first));
    return { metadata: other };
  }
  // The old refresh token may be dead, so the pair must not be lost whatever else the reply says.
  if ('refreshToken' in request) return { refusedAddress: withoutSecrets(reported.message, request) };
  throw refusal(reported.message);
}

const elsewhere = ([name, value]: readonly [string, string]) =>
  `the account is at another address: providerMetadata.${name} must be ${value}`;
