import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { DefectError } from '@sluice/errors';
import type { Credentials } from '@sluice/types';

/** A key ring as `libs/config` reads it from `SLUICE_CREDENTIALS_KEYS`. Keys have 32 bytes. */
export interface SealingKeys {
  /** Seals from now on; every key of the ring opens. */
  readonly currentId: string;
  key(id: string): Buffer | undefined;
}

/** Ciphertext of credentials, bound to one connection. */
export interface Sealed {
  /** `v1.<key id>.<iv>.<tag>.<ciphertext>`, the last three in base64url. */
  readonly text: string;
  readonly keyId: string;
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
/** The size GCM is made for: NIST SP 800-38D, 5.2.1.1. */
const ivBytes = 12;
const tagBytes = 16;

/** Seals credentials for one connection with the current key, under a fresh random iv. */
export function sealCredentials(keys: SealingKeys, connectionId: string, credentials: Credentials): Sealed {
  const keyId = keys.currentId;
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(keys, keyId), iv, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(keyId, connectionId));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(credentials), 'utf8'), cipher.final()]);
  const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
  return { text: [version, keyId, ...parts].join('.'), keyId };
}

/**
 * Opens what was sealed for this very connection.
 * @throws DefectError when the key is not in the ring (named by id), or when the text was altered or belongs to
 *   another connection. Neither secrets nor ciphertext are in the error.
 */
export function unsealCredentials(keys: SealingKeys, connectionId: string, text: string): Credentials {
  const [format, keyId, iv, tag, ciphertext, ...rest] = text.split('.');
  if (format !== version || !keyId || !iv || !tag || ciphertext === undefined || rest.length > 0) {
    throw unreadable(connectionId, `are not in the format ${version}`);
  }
  const key = keyOf(keys, keyId);
  try {
    const decipher = createDecipheriv(algorithm, key, fromBase64(iv), { authTagLength: tagBytes });
    decipher.setAAD(boundTo(keyId, connectionId)).setAuthTag(fromBase64(tag));
    const opened = Buffer.concat([decipher.update(fromBase64(ciphertext)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as Credentials;
  } catch {
    // No cause: what the cipher or the parser says may quote what it read.
    throw unreadable(connectionId, 'were altered or belong to another connection');
  }
}

/** Associated data: the text opens only under the key and for the connection it was sealed with. */
function boundTo(keyId: string, connectionId: string): Buffer {
  return Buffer.from(`${version}.${keyId}.${connectionId}`);
}

function keyOf(keys: SealingKeys, keyId: string): Buffer {
  const key = keys.key(keyId);
  if (key !== undefined) return key;
  throw new DefectError({
    code: 'service.config-invalid',
    detail: `SLUICE_CREDENTIALS_KEYS has no key "${keyId}", which stored credentials are sealed with.`,
    remedy: 'Add the key to the ring again, behind the current one.',
    meta: { sealKeyId: keyId },
  });
}

function unreadable(connectionId: string, why: string): DefectError {
  return new DefectError({
    code: 'service.defect',
    detail: `The stored credentials of connection ${connectionId} ${why}.`,
    meta: { connectionId },
  });
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
