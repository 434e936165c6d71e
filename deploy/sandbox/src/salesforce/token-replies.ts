import { createHash } from 'node:crypto';
import type { IssuedTokens, NewTokens, ReceivedCall, TokenRefusal, WireReply } from '../control/imitated-provider';
import { identityUrl } from './identity';
import { toShortId } from './record-id';
import { jsonReply } from './wire-reply';

interface Identity {
  readonly orgId: string;
  readonly userId: string;
}

/** `error` and `error_description` of a refused token request. Source: docs/contributing/providers.md, B1. */
const refusals: Readonly<Record<TokenRefusal, readonly [error: string, description: string]>> = {
  'grant-type-unknown': ['unsupported_grant_type', 'grant type not supported'],
  'field-missing': ['invalid_request', 'missing required parameter'],
  'client-unknown': ['invalid_client_id', 'client identifier invalid'],
  'client-secret-wrong': ['invalid_client', 'invalid client credentials'],
  'refresh-token-gone': ['invalid_grant', 'expired access/refresh token'],
  'account-gone': ['invalid_grant', 'inactive user'],
  'code-gone': ['invalid_grant', 'expired authorization code'],
  'redirect-mismatch': ['redirect_uri_mismatch', 'redirect_uri must match configuration'],
  'verifier-wrong': ['invalid_grant', 'invalid code verifier'],
};

const base64 = (text: string): string => createHash('sha512').update(text).digest('base64url').replace(/-/g, '.');

/** The shapes of Salesforce: a session id begins with the org, a refresh token with `5Aep861`. */
export function newTokens({ orgId }: Identity, name: string, serial: number): NewTokens {
  return {
    accessToken: `${toShortId(orgId)}!AQ${base64(`access ${serial} of ${name}`)}`,
    refreshToken: `5Aep861${base64(`refresh ${serial} of ${name}`)}`,
  };
}

/**
 * The 200 of the token endpoint. It has no `expires_in`: how long a session lives is a setting of the org. A refresh token
 * is shown to the caller that does not have it yet.
 */
export function tokenReply(identity: Identity, tokens: IssuedTokens, call: ReceivedCall, now: Date): WireReply {
  const id = identityUrl(call.origin, identity);
  const issued = String(now.getTime());
  const grantType = new URLSearchParams(call.bodyText).get('grant_type');
  // A client or a user with a password asks again instead. Source: RFC 6749, 4.4.3; Salesforce's public help.
  const hasNone = grantType === 'client_credentials' || grantType === 'password';
  const isShown = !hasNone && (grantType === 'authorization_code' || tokens.isRefreshTokenNew);
  return jsonReply(200, {
    access_token: tokens.accessToken,
    ...(isShown ? { refresh_token: tokens.refreshToken } : {}),
    signature: createHash('sha256')
      .update(id + issued)
      .digest('base64'),
    scope: 'refresh_token api',
    instance_url: call.origin,
    id,
    token_type: 'Bearer',
    issued_at: issued,
  });
}

export function tokenRefusal(reason: TokenRefusal): WireReply {
  const [error, description] = refusals[reason];
  return jsonReply(400, { error, error_description: description });
}
