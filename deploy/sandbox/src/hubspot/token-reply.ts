import type { IssuedTokens, TokenRefusal, WireReply } from '../control/imitated-provider';
import { jsonReply } from './wire-reply';

/** The user who installed the app, the same in every account. */
export const USER_ID = 29_584_574;

/** The scopes a CRM app asks for. */
export const grantedScopes = ['contacts', 'companies', 'deals']
  .flatMap((object) => [`crm.objects.${object}.read`, `crm.objects.${object}.write`, `crm.schemas.${object}.read`])
  .concat('oauth');

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

/** OAuth's error, HubSpot's own name of it, and its text; the shape is flat, not that of CRM errors. */
const refusals: Readonly<
  Record<TokenRefusal, { error: string; status: string; message: string; description?: string }>
> = {
  'grant-type-unknown': {
    error: 'unsupported_grant_type',
    status: 'BAD_GRANT_TYPE',
    message: 'missing or unknown grant type',
  },
  'field-missing': { error: 'invalid_request', status: 'BAD_REQUEST', message: 'missing required parameter' },
  'client-unknown': { error: 'invalid_client', status: 'BAD_CLIENT_ID', message: 'missing or unknown client id' },
  'client-secret-wrong': {
    error: 'invalid_client',
    status: 'BAD_CLIENT_SECRET',
    message: 'missing or invalid client secret',
  },
  'refresh-token-gone': {
    error: 'invalid_grant',
    status: 'BAD_REFRESH_TOKEN',
    message: 'missing or invalid refresh token',
    description: 'refresh token is invalid, expired or revoked',
  },
  'account-gone': { error: 'access_denied', status: 'BAD_HUB', message: 'missing or unknown hub id' },
  'code-gone': { error: 'invalid_grant', status: 'BAD_AUTH_CODE', message: 'missing or unknown auth code' },
  'redirect-mismatch': {
    error: 'invalid_grant',
    status: 'BAD_REDIRECT_URI',
    message: 'redirect uri does not match the one of the auth code',
  },
  'verifier-wrong': {
    error: 'invalid_grant',
    status: 'BAD_CODE_VERIFIER',
    message: 'code verifier does not match the challenge of the auth code',
  },
};

/** The 400 of the token endpoint. Source: docs/contributing/providers.md, A1, refresh failures. */
export function tokenRefusal(reason: TokenRefusal): WireReply {
  const { error, status, message, description } = refusals[reason];
  return jsonReply(400, { error, error_description: description ?? message, status, message });
}
