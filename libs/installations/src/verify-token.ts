import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { Store } from '@sluice/store';
import type { Caller } from '@sluice/types';
import { parseToken, unknownKey } from './parse-token';
import { checkClaims } from './token-claims';

/** A registered key, ready to check signatures with. */
export interface SigningKey {
  readonly projectId: string;
  readonly publicKey: KeyObject;
}

/** The active key of this id, of whichever project; what is stored was checked when it was registered. */
export async function findSigningKey(store: Pick<Store, 'jwtKeys'>, keyId: string): Promise<SigningKey | undefined> {
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
export async function verifyToken(
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
