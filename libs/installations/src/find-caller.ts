import { isUtf8 } from 'node:buffer';
import { hash, timingSafeEqual, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Store } from '@sluice/store';
import { type Caller, limits } from '@sluice/types';
import { LRUCache } from 'lru-cache';
import { AuthError } from '@sluice/errors';

/** A caller who is known is given at once. */
export type FindCaller = (presented: string) => Caller | undefined | Promise<Caller | undefined>;

export interface CallerSource {
  readonly store: Pick<Store, 'apiKeys' | 'jwtKeys'>;
  /** The bootstrap key. Absent: there is none. */
  readonly adminKey?: string;
  /** Monotonic milliseconds. @default performance.now */
  readonly now?: () => number;
  /** Milliseconds since 1970, for the times of tokens. @default Date.now */
  readonly wallClock?: () => number;
}

/**
 * How long a key that was found stays known without asking again, counted from before the question. A revoked or
 * changed key must be out of force within 1 s on every replica.
 */
const knownForMs = 900;
/** Keys in use at once; the least used is forgotten first. */
const knownMax = 10_000;

/**
 * Finds who a presented API key or bearer token belongs to. Unknown keys are asked for every time: a new key works at
 * once. Only digests are kept in memory. A token that breaks a rule is an AuthError that names it.
 */
export function callerFinder(source: CallerSource): FindCaller {
  const { store, adminKey, wallClock = Date.now } = source;
  const adminDigest = adminKey === undefined ? undefined : Buffer.from(digestOf(adminKey));
  const isAdmin = (digest: string): boolean =>
    adminDigest !== undefined && timingSafeEqual(adminDigest, Buffer.from(digest));
  const now = source.now ?? (() => performance.now());
  const apiKeys = shortMemory<Caller, string>(now, (_digest, presented) => findInStore(store, presented));
  const signingKeys = shortMemory<SigningKey, void>(now, (keyId) => findSigningKey(store, keyId));
  return (presented) => {
    const digest = digestOf(presented);
    const known = apiKeys.get(digest);
    if (known !== undefined) return known;
    if (isAdmin(digest)) return { kind: 'admin', keyId: 'admin', scopes: [] };
    if (isToken(presented)) return verifyToken(presented, (keyId) => signingKeys.fetch(keyId), wallClock());
    return apiKeys.fetch(digest, { context: presented });
  };
}

/** What was found, for `knownForMs`; several who ask at once share one question. */
function shortMemory<Found extends object, Context>(
  now: () => number,
  find: (key: string, context: Context) => Promise<Found | undefined>,
): LRUCache<string, Found, Context> {
  return new LRUCache<string, Found, Context>({
    max: knownMax,
    ttl: knownForMs,
    ttlResolution: 0,
    perf: { now },
    // A full cache may evict a pending lookup. Its waiters hold the promise, so they get the answer.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context }) => {
      const askedAt = now();
      const found = await find(key, context);
      options.ttl = Math.max(1, Math.floor(knownForMs - (now() - askedAt)));
      return found;
    },
  });
}

async function findInStore({ apiKeys }: Pick<Store, 'apiKeys'>, presented: string): Promise<Caller | undefined> {
  const key = await apiKeys.findPresented(presented);
  return key && { kind: 'api-key', keyId: key.key, projectId: key.projectId, scopes: key.scopes };
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'base64');
}

/** A registered key, ready to check signatures with. */
interface SigningKey {
  readonly projectId: string;
  readonly publicKey: KeyObject;
}

/** The active key of this id, of whichever project; what is stored was checked when it was registered. */
async function findSigningKey(store: Pick<Store, 'jwtKeys'>, keyId: string): Promise<SigningKey | undefined> {
  const key = await store.jwtKeys.findNamed(keyId);
  return key && { projectId: key.projectId, publicKey: createPublicKey(key.publicKeyPem) };
}

/**
 * The caller that a token speaks for: one group of the project whose key signed it. The signature is checked with each
 * request (0.05 ms for 2,048 bits), so a token is never believed longer than its key and its `exp`.
 * @param find the active key of an id
 * @param nowMs milliseconds since 1970
 * @throws AuthError `auth.invalid`, naming the broken rule
 */
async function verifyToken(
  token: string,
  find: (keyId: string) => Promise<SigningKey | undefined>,
  nowMs: number,
): Promise<Caller> {
  const { keyId, claims, signed, signature } = parseToken(token);
  const key = await find(keyId);
  // The algorithm and the kind of key are ours to name; the header was only compared with them.
  if (key === undefined || !verify('RSA-SHA256', Buffer.from(signed), key.publicKey, signature)) throw unknownKey();
  const { groupRef, consumerRef } = checkClaims(claims, nowMs);
  return { kind: 'token', keyId, projectId: key.projectId, scopes: [], groupRef, consumerRef };
}

const { jwtLifetimeSecondsMax: lifeSecondsMax } = limits;
/** How far the clocks of issuer and service may differ, in seconds. */
const skewSeconds = 5;
/** Longest name in a claim, as in bodies. */
const charactersMax = 255;

/**
 * Checks the claims of a token whose signature is good. Source: published API, JWT accepted as bearer.
 * @param nowMs milliseconds since 1970
 * @throws AuthError `auth.invalid`, naming the claim and the rule
 */
function checkClaims(claims: Readonly<Record<string, unknown>>, nowMs: number) {
  const groupRef = textOf(claims, 'groupRef');
  const consumerRef = textOf(claims, 'consumerRef');
  textOf(claims, 'sub');
  checkTimes(claims, nowMs / 1_000);
  return { groupRef, consumerRef };
}

function checkTimes(claims: Readonly<Record<string, unknown>>, now: number): void {
  const issuedAt = secondsOf(claims, 'iat');
  const expiresAt = secondsOf(claims, 'exp');
  const life = expiresAt - issuedAt;
  if (life <= 0) throw refusedToken('must have an exp after its iat');
  if (life > lifeSecondsMax)
    throw refusedToken(`may live ${lifeSecondsMax} s from iat to exp; this one lives ${life} s`);
  const startsAt = Math.max(issuedAt, claims['nbf'] === undefined ? issuedAt : secondsOf(claims, 'nbf'));
  if (startsAt > now + skewSeconds) throw refusedToken('is not valid yet: its iat or nbf lies in the future');
  if (expiresAt <= now - skewSeconds) throw refusedToken('has expired');
}

function textOf(claims: Readonly<Record<string, unknown>>, name: string): string {
  const value = claims[name];
  const isName = typeof value === 'string' && value !== '' && value.length <= charactersMax && !value.includes('\0');
  // What is no valid Unicode would be stored as another text: two names would become one.
  if (isName && value.isWellFormed()) return value;
  throw refusedToken(`must have the claim ${name}, a text of 1 to ${charactersMax} characters of valid Unicode`);
}

function secondsOf(claims: Readonly<Record<string, unknown>>, name: string): number {
  const value = claims[name];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refusedToken(`must have the claim ${name}, in seconds since 1970`);
}

/** Three parts in base64url without padding. Source: RFC 7515, section 3.1. */
const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** API keys have no dots, so this distinguishes the two kinds. */
const partsOfToken = 3;
/** Longest token, in characters: claims of 255 characters and the signature of a 4,096-bit key take less than half. */
const tokenCharactersMax = 8_192;
/** Ways to bring a key along, and members that a reader must understand. Source: RFC 7515, sections 4.1.2 to 4.1.6, 4.1.11. */
const refusedHeaders = ['jku', 'jwk', 'x5u', 'x5c', 'crit'];
/** Ids of keys are made by this service. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a presented credential is meant to be a token. */
function isToken(presented: string): boolean {
  return presented.split('.', partsOfToken + 1).length === partsOfToken;
}

/**
 * Takes a token apart, `RS256` only: no `none`, no shared secrets, no key that the token itself brings. Nothing of it is believed before its
 * signature was checked.
 * @throws AuthError `auth.invalid`, naming the broken rule
 */
function parseToken(token: string) {
  if (token.length > tokenCharactersMax) throw refusedToken(`may have ${tokenCharactersMax} characters`);
  const [, head = '', body = '', signature = ''] = form.exec(token) ?? [];
  const header = readJson(head, 'header');
  if (header['alg'] !== 'RS256') throw refusedToken('must have the alg RS256 in its header');
  const brought = refusedHeaders.find((name) => Object.hasOwn(header, name));
  if (brought !== undefined) throw refusedToken(`may not have ${brought} in its header`);
  const keyId = header['kid'];
  if (typeof keyId !== 'string') throw refusedToken('must have a kid in its header, the id of a JWT key');
  if (!uuid.test(keyId)) throw unknownKey();
  const claims = readJson(body, 'claims');
  return { keyId, claims, signed: `${head}.${body}`, signature: Buffer.from(signature, 'base64url') };
}

/** The same text for an unknown, a revoked and a wrong key, so that it does not reveal which ids exist. */
function unknownKey(): AuthError {
  return refusedToken('must be signed by the active JWT key that its kid names');
}

/** @param rule what is broken, as the rest of a sentence */
function refusedToken(rule: string): AuthError {
  return new AuthError({
    code: 'auth.invalid',
    detail: `The bearer token ${rule}.`,
    remedy: 'Send a JWT signed with RS256 by a key of jwt-keys, with groupRef, consumerRef, sub, iat and exp.',
  });
}

function readJson(part: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const bytes = Buffer.from(part, 'base64url');
    const value: unknown = isUtf8(bytes) ? JSON.parse(bytes.toString('utf8')) : undefined;
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // What is no JSON is refused like JSON of another kind.
  }
  throw refusedToken(`must be three base64url parts; its ${name} are no JSON object in UTF-8`);
}
