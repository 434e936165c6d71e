import { derivedUuid, digest } from '../control/derived';
import type { IssuedTokens, NewTokens, TokenRefusal, WireReply } from '../control/imitated-provider';
import { jsonReply } from './errors';

/** The user who installed the app, the same in every account. */
const USER_ID = 29_584_574;

/** The scopes a CRM app asks for. */
const grantedScopes = ['contacts', 'companies', 'deals']
  .flatMap((object) => [`crm.objects.${object}.read`, `crm.objects.${object}.write`, `crm.schemas.${object}.read`])
  .concat('oauth');

/** The first access token looks like that of a private app, the later ones like OAuth's. */
export function newTokens(name: string, serial: number): NewTokens {
  const refreshToken = `na1-${derivedUuid(serial === 0 ? `refresh token of ${name}` : `refresh token ${serial} of ${name}`)}`;
  if (serial === 0) return { accessToken: `pat-na1-${derivedUuid(`token of ${name}`)}`, refreshToken };
  return { accessToken: `C${digest(`token ${serial} of ${name}`).toString('base64url')}`, refreshToken };
}

/** The 200 of the token endpoint. Source: docs/contributing/providers.md, A1. */
export function tokenReply(tokens: IssuedTokens, portalId: number): WireReply {
  return jsonReply(200, {
    token_type: 'bearer',
    refresh_token: tokens.refreshToken,
    access_token: tokens.accessToken,
    expires_in: tokens.lifetimeSeconds,
    hub_id: portalId,
    user_id: USER_ID,
    scopes: grantedScopes,
    token_use: 'access_token',
  });
}

type Refusal = readonly [error: string, status: string, message: string, description?: string];

/** OAuth's error, HubSpot's own name of it, and its text; the shape is flat, not that of CRM errors. */
const refusals: Readonly<Record<TokenRefusal, Refusal>> = {
  'grant-type-unknown': ['unsupported_grant_type', 'BAD_GRANT_TYPE', 'missing or unknown grant type'],
  'field-missing': ['invalid_request', 'BAD_REQUEST', 'missing required parameter'],
  'client-unknown': ['invalid_client', 'BAD_CLIENT_ID', 'missing or unknown client id'],
  'client-secret-wrong': ['invalid_client', 'BAD_CLIENT_SECRET', 'missing or invalid client secret'],
  'refresh-token-gone': [
    'invalid_grant',
    'BAD_REFRESH_TOKEN',
    'missing or invalid refresh token',
    'refresh token is invalid, expired or revoked',
  ],
  'account-gone': ['access_denied', 'BAD_HUB', 'missing or unknown hub id'],
  'code-gone': ['invalid_grant', 'BAD_AUTH_CODE', 'missing or unknown auth code'],
  'redirect-mismatch': ['invalid_grant', 'BAD_REDIRECT_URI', 'redirect uri does not match the one of the auth code'],
  'verifier-wrong': [
    'invalid_grant',
    'BAD_CODE_VERIFIER',
    'code verifier does not match the challenge of the auth code',
  ],
};

/** The 400 of the token endpoint. Source: docs/contributing/providers.md, A1, refresh failures. */
export function tokenRefusal(reason: TokenRefusal): WireReply {
  const [error, status, message, description = message] = refusals[reason];
  return jsonReply(400, { error, error_description: description, status, message });
}
