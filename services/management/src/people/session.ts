import type { Caller, Scope } from '@sluice/types';
import type { ManagementContext } from '../context';
import { cookieNames, cookieValue, isHttps, nameOfHost } from '../cookies';
import { roles, type BegunSignIn, type Person, type Role } from './openid';

/** A role may do what an API key with these scopes may in management, in every project. Each role includes the one before it. */
const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  // `write` here is for links to the connect page: the write API takes keys only.
  operator: ['read', 'frontend', 'write'],
  admin: ['full'],
};

/** A session cookie is sent with every request of a page, so it stays far under the 4,096 bytes that browsers keep. */
const sessionName = 'sluice_session';
/** Of a cookie per sign-in, so that two tabs do not take each other's, also when they begin at once. */
const beganPrefix = 'sluice_sign_in_';
const beganName = (state: string): string => beganPrefix + state.slice(0, 8);
/** 330 bytes each, which are sent with every request. */
const beganMax = 8;
/** Longest time for typing a password at the provider. */
const beganLifeMs = 10 * 60_000;

/** Sealed with the key ring, so that only processes of the ring can make, open or change it. */
interface Kept<Value> {
  readonly value: Value;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** Who signed in, and in which session. */
interface SignedIn extends Person {
  /** Our id of the person. */
  readonly id: string;
  readonly session: string;
}

type Sealing = Pick<ManagementContext, 'installations' | 'config'>;
type Sessions = Sealing & Pick<ManagementContext, 'store'>;

/** The person signed in in the browser that sent these cookies, and until when. Undefined: no person, or the session ended. */
export async function personIn(
  context: Sessions,
  cookies: string | undefined,
): Promise<(SignedIn & { until: number }) | undefined> {
  const kept = openCookie<SignedIn>(context, sessionName, cookies);
  if (kept === undefined || !roles.includes(kept.value.role)) return undefined;
  const { session, id } = kept.value;
  return (await context.store.people.hasSession(session, id)) ? { ...kept.value, until: kept.until } : undefined;
}

/** The same as the caller of a request. */
export function personCaller(context: Sessions) {
  return async (cookies: string | undefined): Promise<Caller | undefined> => {
    const person = await personIn(context, cookies);
    if (person === undefined) return undefined;
    const { id, issuer, subject, role } = person;
    return { kind: 'person', keyId: id, scopes: scopesOf[role], account: { issuer, subject } };
  };
}

/** Makes the sign-in a session. @returns the person's id, and `Set-Cookie` of the session. `Strict`: no other site's page can send it */
export async function beginSession(context: Sessions, { state: session }: BegunSignIn, person: Person) {
  const { issuer, subject, name } = person;
  const lifeMs = context.config.oidcSessionMinutes * 60_000;
  const id = await context.store.people.beginSession({ id: session, issuer, subject, name, lifeMs });
  const cookie = sealCookie(context, sessionName, { ...person, id, session } satisfies SignedIn, lifeMs);
  return { id, cookie: `${cookie}; SameSite=Strict` };
}

/** Ends the session for every copy of its cookie. @returns `Set-Cookie` that removes the browser's cookie */
export async function endSession(context: Sessions, cookies: string | undefined): Promise<string> {
  const session = openCookie<SignedIn>(context, sessionName, cookies)?.value.session;
  if (session !== undefined) await context.store.people.endSession(session);
  return `${setCookie(context, sessionName, '', 0)}; SameSite=Strict`;
}

/**
 * `Set-Cookie` that ties the return of a sign-in to the browser that began it, and of those that take the oldest away. `Lax`: the provider's site sends it
 * back here.
 * @param cookies that the browser has: those of sign-ins in other tabs stay while there is room
 */
export function beganCookies(context: Sealing, begun: BegunSignIn, cookies: string | undefined): string[] {
  const prefix = nameOfHost(context.config, beganPrefix);
  const names = cookieNames(cookies).filter((name) => name.startsWith(prefix));
  const open = names.map((name) => name.replace(prefix, beganPrefix));
  const untilOf = (name: string): number => openCookie(context, name, cookies)?.until ?? 0;
  const oldest = open.toSorted((one, other) => untilOf(other) - untilOf(one)).slice(beganMax - 1);
  const begins = sealCookie(context, beganName(begun.state), begun, beganLifeMs);
  return [...oldest.map((name) => setCookie(context, name, '', 0)), begins].map((cookie) => `${cookie}; SameSite=Lax`);
}

/**
 * Takes the sign-in with this state that this browser began in the last ten minutes. Undefined: it began none, or that was taken before.
 * @returns with `Set-Cookie` that takes its cookie away
 */
export async function takeBegun(context: Sessions, cookies: string | undefined, state = '') {
  const name = beganName(state);
  const begun = openCookie<BegunSignIn>(context, name, cookies)?.value;
  if (begun === undefined || begun.state !== state) return undefined;
  const isTaken = await context.store.people.takeSignIn(state, beganLifeMs);
  return isTaken ? { begun, ended: `${setCookie(context, name, '', 0)}; SameSite=Lax` } : undefined;
}

function sealCookie(context: Sealing, name: string, value: unknown, lifeMs: number): string {
  const kept: Kept<unknown> = { value, until: Date.now() + lifeMs };
  return setCookie(context, name, context.installations.seal({ noun: 'cookie', id: name }, kept).text, lifeMs);
}

/** All but `SameSite`. */
function setCookie(context: Sealing, name: string, text: string, lifeMs: number): string {
  const isSecure = isHttps(context.config);
  return `${nameOfHost(context.config, name)}=${text}; Path=/; Max-Age=${lifeMs / 1_000}; HttpOnly${isSecure ? '; Secure' : ''}`;
}

/** Undefined also for a text that does not open: a cookie may hold any, and key rings change. */
function openCookie<Value>(context: Sealing, name: string, cookies: string | undefined): Kept<Value> | undefined {
  const text = cookieValue(cookies, nameOfHost(context.config, name));
  if (text === undefined) return undefined;
  try {
    const kept = context.installations.unseal({ noun: 'cookie', id: name }, text) as Kept<Value>;
    return kept.until > Date.now() ? kept : undefined;
  } catch {
    return undefined;
  }
}
