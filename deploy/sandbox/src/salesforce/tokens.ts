import { createHash } from 'node:crypto';
import type { IssuedTokens, NewTokens, ReceivedCall, TokenRefusal, WireReply } from '../control/imitated-provider';
import { jsonReply, notFound } from './errors';
import { usernameOf, type Action, type OrgIdentity } from './org-data';
import { toShortId } from './record-ids';

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

export function tokenRefusal(reason: TokenRefusal): WireReply {
  const [error, description] = refusals[reason];
  return jsonReply(400, { error, error_description: description });
}

const base64 = (text: string): string => createHash('sha512').update(text).digest('base64url').replace(/-/g, '.');

/** The shapes of Salesforce: a session id begins with the org, a refresh token with `5Aep861`. */
export function newTokens({ orgId }: OrgIdentity, name: string, serial: number): NewTokens {
  return {
    accessToken: `${toShortId(orgId)}!AQ${base64(`access ${serial} of ${name}`)}`,
    refreshToken: `5Aep861${base64(`refresh ${serial} of ${name}`)}`,
  };
}

/**
 * The 200 of the token endpoint. It has no `expires_in`: how long a session lives is a setting of the org. A refresh token
 * is shown to the caller that does not have it yet.
 */
export function tokenReply(org: OrgIdentity, tokens: IssuedTokens, call: ReceivedCall, now: Date): WireReply {
  const id = identityUrl(call.origin, org);
  const issued = String(now.getTime());
  const grantType = new URLSearchParams(call.bodyText).get('grant_type');
  // A client or a user with a password requests another token instead. Source: RFC 6749, 4.4.3; Salesforce's public help.
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

/** The identity URL of the integration user: what a token reply carries as `id`. */
const identityUrl = (origin: string, { orgId, userId }: OrgIdentity): string => `${origin}/id/${orgId}/${userId}`;

/** `GET /services/oauth2/userinfo` -> the user of the token, in the claims of OpenID. */
export const userinfo: Action = ({ org, origin }) => ({
  status: 200,
  body: {
    ...userOf(origin, org),
    sub: identityUrl(origin, org),
    preferred_username: usernameOf(org.name),
    nickname: 'integration',
    name: 'Integration User',
    given_name: 'Integration',
    family_name: 'User',
    email_verified: true,
    zoneinfo: 'Etc/UTC',
    locale: 'en_US',
  },
});

/** `GET /id/{org}/{user}` -> the same in the members of the identity URL. */
export const identity: Action = ({ org, origin, params }) => {
  if (params.org !== org.orgId || params.user !== org.userId) throw notFound();
  const own = { id: identityUrl(origin, org), asserted_user: true, display_name: 'Integration User' };
  return { status: 200, body: { ...userOf(origin, org), ...own, username: usernameOf(org.name) } };
};

/** What both say. `urls` has the org's own domain as Salesforce names it; the others lead back to the sandbox. */
const userOf = (origin: string, { orgId, userId, name, workspaceRef }: OrgIdentity) => ({
  user_id: userId,
  organization_id: orgId,
  email: usernameOf(name),
  active: true,
  user_type: 'STANDARD',
  urls: {
    custom_domain: `https://${workspaceRef}.my.salesforce.com`,
    rest: `${origin}/services/data/v{version}/`,
    sobjects: `${origin}/services/data/v{version}/sobjects/`,
  },
});
