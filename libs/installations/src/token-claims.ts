import { limits } from '@sluice/types';
import { refusedToken } from './parse-token';

/** Who a token speaks for. Source: published API, JWT accepted as bearer. */
export interface TokenClaims {
  readonly groupRef: string;
  readonly consumerRef: string;
}

const { jwtLifetimeSecondsMax: lifeSecondsMax } = limits;
/** How far the clocks of issuer and service may differ, in seconds. */
const skewSeconds = 5;
/** Longest name in a claim, as in bodies. */
const charactersMax = 255;

/**
 * Checks the claims of a token whose signature is good.
 * @param nowMs milliseconds since 1970
 * @throws AuthError `auth.invalid`, naming the claim and the rule
 */
export function checkClaims(claims: Readonly<Record<string, unknown>>, nowMs: number): TokenClaims {
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
  if (isName) return value;
  throw refusedToken(`must have the claim ${name}, a text of 1 to ${charactersMax} characters`);
}

function secondsOf(claims: Readonly<Record<string, unknown>>, name: string): number {
  const value = claims[name];
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw refusedToken(`must have the claim ${name}, in seconds since 1970`);
}
