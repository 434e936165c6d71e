import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { NotFoundError, DefectError } from '@sluice/errors';
import type { ConnectionKey, Store } from '@sluice/store';
import type { LiveCredentials, Credentials } from '@sluice/types';

/** A connection's credentials with what decides on their refresh. */
export interface OpenedConnection {
  readonly live: LiveCredentials;
  /** The access token is at its end, or near it. */
  readonly isExpiring: boolean;
  readonly providerAppId?: string;
}

/**
 * Reads and opens the credentials of a connection. Never cached: a replaced token is in force for the next call.
 * @throws NotFoundError `connection.not-found`
 */
export async function openConnection(
  source: { readonly store: Pick<Store, 'connections'>; readonly keyring: SealingKeys },
  { projectId, connectionId }: ConnectionKey,
): Promise<OpenedConnection> {
  const stored = await source.store.connections.findCredentials(projectId, connectionId);
  if (stored === undefined) {
    throw new NotFoundError({ code: 'connection.not-found', detail: `There is no connection ${connectionId}.` });
  }
  const live = {
    connectionId,
    tokenVersion: stored.tokenVersion,
    provider: stored.provider,
    status: stored.status,
    ...(stored.workspaceRef === undefined ? {} : { workspaceRef: stored.workspaceRef }),
    ...(stored.metadata === undefined ? {} : { metadata: stored.metadata }),
    credentials: unsealCredentials(source.keyring, connectionId, stored.sealed),
  };
  const { isExpiring, providerAppId } = stored;
  return { live, isExpiring, ...(providerAppId === undefined ? {} : { providerAppId }) };
}

/** Seals credentials for one connection. */
export function sealCredentials(keys: SealingKeys, connectionId: string, credentials: Credentials): Sealed {
  return sealValue(keys, { noun: 'connection', id: connectionId }, credentials);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another connection */
export function unsealCredentials(keys: SealingKeys, connectionId: string, text: string): Credentials {
  return unsealValue(keys, { noun: 'connection', id: connectionId }, text) as Credentials;
}

/** Seals the client secret of one provider app. */
export function sealClientSecret(keys: SealingKeys, appId: string, secret: string): Sealed {
  return sealValue(keys, { noun: 'provider app', id: appId }, secret);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another app */
export function unsealClientSecret(keys: SealingKeys, appId: string, text: string): string {
  return unsealValue(keys, { noun: 'provider app', id: appId }, text) as string;
}

/** Seals the PKCE verifier of one authorization that was begun. @param stateHash names it */
export function sealVerifier(keys: SealingKeys, stateHash: string, verifier: string): Sealed {
  return sealValue(keys, { noun: 'authorization', id: stateHash }, verifier);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another authorization */
export function unsealVerifier(keys: SealingKeys, stateHash: string, text: string): string {
  return unsealValue(keys, { noun: 'authorization', id: stateHash }, text) as string;
}

/** What the messages of a webhook endpoint are signed with. */
export interface WebhookSecrets {
  readonly current: string;
  /** Before the last rotation; who uses it asks the database whether it signs still. */
  readonly previous?: string;
}

/** Seals the secrets of one webhook endpoint. */
export function sealWebhookSecrets(keys: SealingKeys, endpointId: string, secrets: WebhookSecrets): Sealed {
  return sealValue(keys, { noun: 'webhook endpoint', id: endpointId }, secrets);
}

/** @throws DefectError when the key is not in the ring, or the text was altered or belongs to another endpoint */
export function unsealWebhookSecrets(keys: SealingKeys, endpointId: string, text: string): WebhookSecrets {
  return unsealValue(keys, { noun: 'webhook endpoint', id: endpointId }, text) as WebhookSecrets;
}

/** A key ring as `libs/config` reads it from `SLUICE_CREDENTIALS_KEYS`. Keys have 32 bytes. */
export interface SealingKeys {
  /** Seals from now on; every key of the ring opens. */
  readonly currentId: string;
  key(id: string): KeyObject | undefined;
}

/** Ciphertext, bound to what it belongs to. */
export interface Sealed {
  /** `v1.<key id>.<iv>.<tag>.<ciphertext>`, the last three in base64url. */
  readonly text: string;
  readonly keyId: string;
}

/** What a secret belongs to: copied to another row, its ciphertext does not open. */
export interface SecretOwner {
  readonly noun: 'connection' | 'provider app' | 'webhook endpoint' | 'authorization';
  readonly id: string;
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
/** The size GCM is made for: NIST SP 800-38D, 5.2.1.1. */
const ivBytes = 12;
const tagBytes = 16;

/** Seals a JSON value for its owner with the current key, under a fresh random iv. */
export function sealValue(keys: SealingKeys, owner: SecretOwner, value: unknown): Sealed {
  const keyId = keys.currentId;
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, keyOf(keys, keyId), iv, { authTagLength: tagBytes });
  cipher.setAAD(boundTo(keyId, owner));
  const ciphertext = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]);
  const parts = [iv, cipher.getAuthTag(), ciphertext].map((part) => part.toString('base64url'));
  return { text: [version, keyId, ...parts].join('.'), keyId };
}

/**
 * Opens what was sealed for this very owner.
 * @throws DefectError when the key is not in the ring (named by id), or when the text was altered or belongs to
 *   another owner. Neither secrets nor ciphertext are in the error.
 */
export function unsealValue(keys: SealingKeys, owner: SecretOwner, text: string): unknown {
  const [format, keyId, iv, tag, ciphertext, ...rest] = text.split('.');
  if (format !== version || !keyId || !iv || !tag || ciphertext === undefined || rest.length > 0) {
    throw unreadable(owner, `are not in the format ${version}`);
  }
  const key = keyOf(keys, keyId);
  try {
    const decipher = createDecipheriv(algorithm, key, fromBase64(iv), { authTagLength: tagBytes });
    decipher.setAAD(boundTo(keyId, owner)).setAuthTag(fromBase64(tag));
    const opened = Buffer.concat([decipher.update(fromBase64(ciphertext)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as unknown;
  } catch {
    // No cause: what the cipher or the parser says may quote what it read.
    throw unreadable(owner, `were altered or belong to another ${owner.noun}`);
  }
}

/** Associated data: the text opens only under the key and for the owner it was sealed with. */
function boundTo(keyId: string, { noun, id }: SecretOwner): Buffer {
  return Buffer.from(noun === 'connection' ? `${version}.${keyId}.${id}` : `${version}.${keyId}.${noun}.${id}`);
}

function keyOf(keys: SealingKeys, keyId: string): KeyObject {
  const key = keys.key(keyId);
  if (key !== undefined) return key;
  throw new DefectError({
    code: 'service.config-invalid',
    detail: `SLUICE_CREDENTIALS_KEYS has no key "${keyId}", which stored credentials are sealed with.`,
    remedy: 'Add the key to the ring again, behind the current one.',
    meta: { sealKeyId: keyId },
  });
}

function unreadable({ noun, id }: SecretOwner, why: string): DefectError {
  return new DefectError({
    code: 'service.defect',
    detail: `The stored credentials of ${noun} ${id} ${why}.`,
    meta: { ownerId: id },
  });
}

function fromBase64(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}
