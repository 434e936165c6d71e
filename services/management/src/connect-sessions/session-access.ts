import { AuthError, ConflictError, ForbiddenError, NotFoundError, type RequestError } from '@sluice/errors';
import type { StoredConnectSession } from '@sluice/store';
import { connectSessionLifeMs, type Project } from '@sluice/types';
import { publicAddress, type ManagementConfig } from '../config';
import type { ManagementContext } from '../context';
import { cookieValue, isHttps, nameOfHost } from '../cookies';
import { hashOf, isHashed, newSecret, projectOfSecret } from '../one-time-secrets';

/** A session, with its project and the token that was shown for it. */
export interface ShownSession {
  readonly session: StoredConnectSession;
  readonly project: Project;
  readonly token: string;
}

const bearer = /^bearer +(\S+)$/i;

/**
 * The session that a request of the page shows the token of.
 * @param idOfProject as the path names it, so that a router of cells finds the project
 * @throws AuthError 401 without a token; NotFoundError `connect-session.not-found`, the same for another project's
 */
export async function getShownSession(
  { store }: ManagementContext,
  idOfProject: string,
  authorization: string | undefined,
): Promise<ShownSession> {
  const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  if (token === undefined) {
    const detail = 'Authorization does not carry the token of a connect session.';
    throw new AuthError({ code: 'auth.missing', detail, remedy: 'Send Authorization: Bearer with the token.' });
  }
  const projectId = projectOfSecret(token);
  const isOfPath = projectId !== undefined && projectId === idOfProject;
  const session = isOfPath
    ? await store.connectSessions.findByToken({ projectId, tokenHash: hashOf(token) })
    : undefined;
  const project = session && (await store.projects.find(session.projectId, session.projectId));
  if (session === undefined || project === undefined) throw unknownSession();
  return { session, project, token };
}

export function unknownSession(): NotFoundError {
  const detail = 'There is no connect session of this token, or it ended more than a day ago.';
  return new NotFoundError({ code: 'connect-session.not-found', detail });
}

/**
 * What the browser that asks is to a session. `free`: it may begin. `mine`: it began. `done`: it began, and all is done. The others are turned
 * away.
 */
export type Standing = 'free' | 'mine' | 'done' | 'expired' | 'used' | 'other-browser';

export function standingOf(
  config: ManagementConfig,
  session: StoredConnectSession,
  cookies: string | undefined,
): Standing {
  const { cookieHash, usedTime, isLive } = session;
  const isMine = cookieHash !== undefined && isHashed(connectCookieIn(config, session.id, cookies), cookieHash);
  if (usedTime !== undefined) return isMine ? 'done' : 'used';
  // What was installed stands: only its choice of fields has ended.
  if (!isLive) return session.installationId === undefined ? 'expired' : 'used';
  if (isMine) return 'mine';
  return cookieHash === undefined ? 'free' : 'other-browser';
}

/**
 * Gives the session to the browser that submits first.
 * @returns SHA-256 of that browser's cookie
 * @throws RequestError when it is not, or no more, this browser's to use
 */
export async function bindSession(
  { config, store }: ManagementContext,
  session: StoredConnectSession,
  cookies: string | undefined,
): Promise<string> {
  const standing = standingOf(config, session, cookies);
  if (standing !== 'free' && standing !== 'mine') throw turnedAway(standing);
  const cookie = connectCookieIn(config, session.id, cookies);
  if (cookie === undefined) throw withoutCookie();
  const cookieHash = hashOf(cookie);
  if (await store.connectSessions.bind(session, cookieHash)) return cookieHash;
  // Another browser, or the end, came between the two statements.
  const now = await store.connectSessions.find(session);
  if (now === undefined) throw unknownSession();
  const lost = standingOf(config, now, cookies);
  throw turnedAway(lost === 'free' || lost === 'mine' ? 'expired' : lost);
}

/** @throws RequestError `connect-session.used` when there is nothing left to connect */
export function assertUnconnected({ installationId, usedTime }: StoredConnectSession): void {
  if (installationId !== undefined || usedTime !== undefined) throw turnedAway('used');
}

/** The error for a browser that may not use the session. */
export function turnedAway(standing: Exclude<Standing, 'free' | 'mine'>): RequestError {
  if (standing === 'expired')
    return new NotFoundError({ code: 'connect-session.expired', detail: 'The link to this page has expired.' });
  if (standing === 'other-browser') {
    const detail = 'The link to this page was begun in another browser.';
    return new ForbiddenError({ code: 'connect-session.other-browser', detail });
  }
  return new ConflictError({ code: 'connect-session.used', detail: 'The link to this page was used.' });
}

function withoutCookie(): ForbiddenError {
  return new ForbiddenError({
    code: 'connect-session.other-browser',
    detail: 'The browser sent no cookie of this page.',
    remedy: 'Allow cookies for this page, and load it again.',
  });
}

const cookieName = (sessionId: string): string => `sluice_connect_${sessionId}`;

/**
 * `Set-Cookie` for a browser that loads the page of a session and has none: until it submits something it means nothing. It holds the token too, for
 * the way back from a provider. `Lax`, because the provider's site sends the browser back.
 */
export function newConnectCookie(config: ManagementConfig, session: StoredConnectSession, token: string): string {
  const attributes = `Path=/; Max-Age=${connectSessionLifeMs / 1_000}; HttpOnly; SameSite=Lax`;
  const secure = isHttps(config) ? '; Secure' : '';
  return `${nameOfHost(config, cookieName(session.id))}=${newSecret()}.${token}; ${attributes}${secure}`;
}

/** Its value in a `Cookie` header. */
export function connectCookieIn(
  config: ManagementConfig,
  sessionId: string,
  cookies: string | undefined,
): string | undefined {
  return cookieValue(cookies, nameOfHost(config, cookieName(sessionId)));
}

/** The page of a session. The token is in the fragment, which no server and no log sees. */
export function connectPageUrl(config: ManagementConfig, token: string): string {
  return `${publicAddress(config)}/connect#${token}`;
}

/** The page of the session whose cookie this is. */
export function pageOfCookie(config: ManagementConfig, cookie: string): string {
  return connectPageUrl(config, cookie.slice(cookie.indexOf('.') + 1));
}
