import type { Caller, Scope } from '@sluice/types';
import { publicAddress } from '../config';
import type { ManagementContext } from '../context';
import { cookieValue } from '../cookies';
import { roles, signedInPath, type BegunSignIn, type Person, type Role } from './openid';

/** What a role may do is what an API key with these scopes may, in every project. Each may what the one before it may. */
const scopesOf: Readonly<Record<Role, readonly Scope[]>> = {
  viewer: ['read'],
  operator: ['read', 'frontend'],
  admin: ['full'],
};

/** A session cookie is sent with every request of a page, so it stays far under the 4,096 bytes that browsers keep. */
const sessionName = 'sluice_session';
const beganName = 'sluice_sign_in';
/** Longest time for typing a password at the provider. */
const beganLifeMs = 10 * 60_000;

/** Sealed with the key ring, so that neither the person nor anybody else can change it; any process of the ring opens it. */
interface Kept<Value> {
  readonly value: Value;
  /** Milliseconds since 1970. */
  readonly until: number;
}

type Sealing = Pick<ManagementContext, 'installations' | 'config'>;

/** Who is signed in in the browser that sent these cookies, and until when. Undefined: nobody, or not any more. */
export function personIn(context: Sealing, cookies: string | undefined): (Person & { until: number }) | undefined {
  const kept = openCookie<Person>(context, sessionName, cookies);
  return kept && roles.includes(kept.value.role) ? { ...kept.value, until: kept.until } : undefined;
}

/** The same as the caller of a request. */
export function personCaller(context: Sealing) {
  return (cookies: string | undefined): Caller | undefined => {
    const person = personIn(context, cookies);
    return person && { kind: 'person', keyId: `person:${person.name}`, scopes: scopesOf[person.role] };
  };
}

/** `Set-Cookie` of a session. `Strict`: no other site's page can send it. */
export function sessionCookie(context: Sealing, person: Person): string {
  const { publicUrl } = context.config;
  const path = publicUrl === undefined ? '/' : new URL(publicUrl).pathname;
  const lifeMs = context.config.oidcSessionMinutes * 60_000;
  return sealCookie(context, sessionName, person, { path, lifeMs, sameSite: 'Strict' });
}

export function endedSessionCookie(context: Sealing): string {
  return sessionCookie(context, { subject: '', name: '', role: 'viewer' })
    .replace(/=[^;]*/, '=')
    .replace(/Max-Age=\d+/, 'Max-Age=0');
}

/** `Set-Cookie` that ties the return of a sign-in to the browser that began it. `Lax`: the provider's site sends it back here. */
export function beganCookie(context: Sealing, begun: BegunSignIn): string {
  const path = new URL(publicAddress(context.config) + signedInPath).pathname;
  return sealCookie(context, beganName, begun, { path, lifeMs: beganLifeMs, sameSite: 'Lax' });
}

/** The sign-in that this browser began in the last ten minutes. */
export function begunIn(context: Sealing, cookies: string | undefined): BegunSignIn | undefined {
  return openCookie<BegunSignIn>(context, beganName, cookies)?.value;
}

interface CookieOptions {
  readonly path: string;
  readonly lifeMs: number;
  readonly sameSite: 'Strict' | 'Lax';
}

function sealCookie(context: Sealing, name: string, value: unknown, { path, lifeMs, sameSite }: CookieOptions): string {
  const kept: Kept<unknown> = { value, until: Date.now() + lifeMs };
  const { text } = context.installations.sealForBrowser(name, kept);
  const isSecure = publicAddress(context.config).startsWith('https:');
  const attributes = [`Path=${path}`, `Max-Age=${lifeMs / 1_000}`, 'HttpOnly', `SameSite=${sameSite}`];
  return [`${name}=${text}`, ...attributes, ...(isSecure ? ['Secure'] : [])].join('; ');
}

function openCookie<Value>(context: Sealing, name: string, cookies: string | undefined): Kept<Value> | undefined {
  const text = cookieValue(cookies, name);
  const kept = text && (context.installations.openFromBrowser(name, text) as Kept<Value> | undefined);
  return kept && kept.until > Date.now() ? kept : undefined;
}
