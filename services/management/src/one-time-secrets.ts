import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** 256 bits, which cannot be guessed. RFC 6749, 10.10 asks for at least 128; RFC 7636, 4.1 recommends these for a verifier. */
const secretBytes = 32;

/** The `state` of an authorization, the end of an upload's address: the project, so that it can be looked up inside it, and the secret. */
const secretForm = /^([A-Za-z0-9-]{1,64})\.([A-Za-z0-9_-]{43})$/;

export function newSecret(): string {
  return randomBytes(secretBytes).toString('base64url');
}

export function newProjectSecret(projectId: string): string {
  return `${projectId}.${newSecret()}`;
}

/** The project that a secret names; undefined for what is no secret of ours. */
export function projectOfSecret(secret: string): string | undefined {
  return secretForm.exec(secret)?.[1];
}

/** What is kept of a secret that only has to be recognised; of a PKCE verifier its challenge (S256 of RFC 7636, 4.2). */
export function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether the secret is the one that was hashed. */
export function isHashed(secret: string | undefined, hash: string): boolean {
  return secret !== undefined && timingSafeEqual(Buffer.from(hashOf(secret)), Buffer.from(hash));
}
