import { createHmac, randomBytes } from 'node:crypto';

const prefix = 'whsec_';
/** Bytes of a secret. The signature is HMAC-SHA-256, whose key should be as long as its output (RFC 2104). */
const secretBytes = 32;

/** A new secret: `whsec_` and 32 random bytes in base64, the form that Svix' libraries take. */
export function newWebhookSecret(): string {
  return prefix + randomBytes(secretBytes).toString('base64');
}

/**
 * The headers that a receiver verifies. Every secret makes a signature, so that a receiver may change from one to the other while both
 * hold. Source: https://docs.svix.com/receiving/verifying-payloads/how-manual
 * @param secrets the current one first
 */
export function signatureHeaders(
  message: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: Date,
): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000).toString();
  const signed = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map((secret) => `v1,${hmac(secret, signed)}`);
  return { 'svix-id': message.id, 'svix-timestamp': timestamp, 'svix-signature': signatures.join(' ') };
}

function hmac(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(prefix.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
