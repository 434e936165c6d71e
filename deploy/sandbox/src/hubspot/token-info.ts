import type { Action } from './api-call';
import { invalid } from './errors';
import { readJsonObject } from './request-body';
import { grantedScopes, USER_ID } from './token-reply';

/** `POST /oauth/v2/private-apps/get/access-token-info` with `{tokenKey}`: what a private app's key may do. Source: HubSpot's documentation (D). */
export const tokenInfo: Action = ({ portalId, bodyText }) => {
  const { tokenKey } = readJsonObject(bodyText);
  if (typeof tokenKey !== 'string' || !tokenKey.startsWith('pat-')) throw invalid('Invalid private app access token');
  return { status: 200, body: { userId: USER_ID, hubId: portalId, appId: 1_234_567, scopes: grantedScopes } };
};
