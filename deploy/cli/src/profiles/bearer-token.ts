import { readFileSync } from 'node:fs';
import { CommandFailure } from '../failure';

/** A file that holds no token; the message names the file. */
export class TokenFailure extends CommandFailure {}

/** The token that a file holds now. @throws TokenFailure */
export function readToken(file: string): string {
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new TokenFailure(`The token cannot be read: ${(error as NodeJS.ErrnoException).code} of ${file}.`);
  }
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return token;
  throw new TokenFailure(`${file} holds no bearer token: it must be a JWT and nothing else.`);
}

/** The group that a token claims; the service verifies it. Undefined for an API key, and for a token without one. */
export function groupOfToken(credential: string): string | undefined {
  const [, claims = '', signature] = credential.split('.');
  if (signature === undefined) return undefined;
  try {
    const { groupRef } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly groupRef?: unknown };
    return typeof groupRef === 'string' ? groupRef : undefined;
  } catch {
    return undefined;
  }
}
