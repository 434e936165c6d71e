import { AuthError } from '@sluice/errors';

/** A bearer token taken apart; nothing of it is believed before its signature was checked. */
export interface ParsedToken {
  /** The id of the key that is said to have signed it. */
  readonly keyId: string;
  readonly claims: Readonly<Record<string, unknown>>;
  /** What was signed. */
  readonly signed: string;
  readonly signature: Buffer;
}

/** Three parts in base64url without padding. Source: RFC 7515, section 3.1. */
const form = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/;
/** API keys have no dots, so this tells the two kinds apart. */
const partsOfToken = 3;
/** Longest token, in characters: claims of 255 characters and the signature of a 4,096-bit key take less than half. */
const charactersMax = 8_192;
/** Ways to bring a key along, and members that a reader must understand. Source: RFC 7515, sections 4.1.2 to 4.1.6, 4.1.11. */
const refusedHeaders = ['jku', 'jwk', 'x5u', 'x5c', 'crit'];
/** Ids of keys are made by this service. */
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a presented credential is meant to be a token. */
export function isToken(presented: string): boolean {
  return presented.split('.', partsOfToken + 1).length === partsOfToken;
}

/**
 * Reads the parts of a token, `RS256` only: no `none`, no shared secrets, no key that the token itself brings.
 * @throws AuthError `auth.invalid`, naming the broken rule
 */
export function parseToken(token: string): ParsedToken {
  if (token.length > charactersMax) throw refusedToken(`may have ${charactersMax} characters`);
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

/** The same words whether the key is unknown, revoked, or another one: nobody learns which ids exist. */
export function unknownKey(): AuthError {
  return refusedToken('must be signed by the active JWT key that its kid names');
}

/** @param rule what is broken, as the rest of a sentence */
export function refusedToken(rule: string): AuthError {
  return new AuthError({
    code: 'auth.invalid',
    detail: `The bearer token ${rule}.`,
    remedy: 'Send a JWT signed with RS256 by a key of jwt-keys, with groupRef, consumerRef, sub, iat and exp.',
  });
}

function readJson(part: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // What is no JSON is refused like JSON of another kind.
  }
  throw refusedToken(`must be three base64url parts; its ${name} are no JSON object`);
}
