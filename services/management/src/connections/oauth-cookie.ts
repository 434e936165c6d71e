import { oauthStateLifeMs } from '@sluice/types';

/** One cookie per authorization, so that two that run at once do not take each other's. */
function nameOf(stateHash: string): string {
  return `sluice_oauth_${stateHash.slice(0, 16)}`;
}

/**
 * The `Set-Cookie` that ties a return to the browser that began. It is sent to the callback only. Over https it may be set by a
 * request of the builder's page, which is another site; over http, which is for a developer's machine, browsers allow Lax only.
 */
export function cookieOf(stateHash: string, secret: string, callbackUrl: string): string {
  const site = callbackUrl.startsWith('https:') ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const maxAge = oauthStateLifeMs / 1_000;
  return `${nameOf(stateHash)}=${secret}; Path=${new URL(callbackUrl).pathname}; Max-Age=${maxAge}; HttpOnly; ${site}`;
}

/** The secret in a `Cookie` header; undefined when it has none for this authorization. */
export function cookieIn(header: string | undefined, stateHash: string): string | undefined {
  const start = `${nameOf(stateHash)}=`;
  const pair = header?.split(';').find((one) => one.trim().startsWith(start));
  return pair?.trim().slice(start.length);
}
