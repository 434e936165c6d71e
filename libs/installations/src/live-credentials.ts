import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';
import { NotFoundError, DefectError } from '@sluice/errors';
import type { ConfirmedCredentials, ConnectionKey, Store } from '@sluice/store';
import { heapShare } from '@sluice/telemetry';
import type { LiveCredentials, Credentials } from '@sluice/types';
import { LRUCache } from 'lru-cache';

/** A connection's credentials with the values that decide whether to refresh them. */
export interface OpenedConnection {
  readonly live: LiveCredentials;
  /** The access token is at its end, or near it. */
  readonly isExpiring: boolean;
  readonly providerAppId?: string;
}

/**
 * Reads and opens the credentials of a connection as they are now: a replaced token is in force for the next call.
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
  const { groupRef } = stored;
  const live = toLive(
    { connectionId, groupRef },
    stored,
    unsealCredentials(source.keyring, connectionId, stored.sealed),
  );
  const { isExpiring, providerAppId } = stored;
  return { live, isExpiring, ...(providerAppId === undefined ? {} : { providerAppId }) };
}

/** A connection, and the project that it belongs to. */
type OwnedConnection = Pick<LiveCredentials, 'connectionId' | 'groupRef'>;

function toLive(
  { connectionId, groupRef }: OwnedConnection,
  { tokenVersion, provider, status, workspaceRef, metadata }: ConfirmedCredentials,
  credentials: Credentials,
): LiveCredentials {
  return {
    connectionId,
    tokenVersion,
    provider,
    groupRef,
    status,
    ...(workspaceRef === undefined ? {} : { workspaceRef }),
    ...(metadata === undefined ? {} : { metadata }),
    credentials,
  };
}

/** Opened credentials of one version. Before each use a statement confirms that this version is the stored one. */
export interface KnownCredentials {
  readonly tokenVersion: number;
  readonly credentials: Credentials;
}

/**
 * Credentials that this process has opened, so that they are neither sent nor opened again while they are the ones stored. They are never used on
 * their own: the statement that promises a send compares the version, and returns those that replaced it.
 */
export interface CredentialMemory {
  /** To be offered to the statement. */
  readonly find: (connection: ConnectionKey) => KnownCredentials | undefined;
  /**
   * What the statement confirmed or returned, for use now.
   * @param known what it was offered
   * @throws DefectError when the key is not in the ring, or the text was altered or belongs to another connection
   */
  readonly confirm: (
    connection: ConnectionKey & OwnedConnection,
    stored: ConfirmedCredentials,
    known: KnownCredentials | undefined,
  ) => LiveCredentials;
  /** The connection is gone, or another one took its place. */
  readonly forget: (connection: ConnectionKey) => void;
}

/** Connections in use at once per process. */
const knownMax = 10_000;
/** Bytes of the kept credentials, sealed, which is a little more than opened: 2 MB in a process of 256 MiB, for 2,000 usual tokens. */
const knownCharactersMax = heapShare(128);
/** An unused or deleted connection leaves memory this long after it was last confirmed. Our choice. */
const knownForMs = 60_000;
const purgeEveryMs = 10_000;

/** @param now monotonic milliseconds. @default performance.now */
export function createCredentialMemory(keyring: SealingKeys, now = () => performance.now()): CredentialMemory {
  const kept = new LRUCache<string, KnownCredentials & { readonly characters: number }>({
    max: knownMax,
    maxSize: knownCharactersMax,
    sizeCalculation: ({ characters }) => characters,
    ttl: knownForMs,
    ttlResolution: 0,
    perf: { now },
  });
  let purging: NodeJS.Timeout | undefined;
  const purgeLater = (): void => {
    purging ??= setTimeout(() => {
      purging = undefined;
      kept.purgeStale();
      if (kept.size > 0) purgeLater();
    }, purgeEveryMs).unref();
  };
  return {
    find: (connection) => kept.get(nameOf(connection)),
    confirm: (connection, stored, known) => {
      const { connectionId } = connection;
      const { sealed, tokenVersion } = stored;
      const credentials = sealed === undefined ? known?.credentials : unsealCredentials(keyring, connectionId, sealed);
      if (credentials === undefined) throw unreadable({ noun: 'connection', id: connectionId }, 'were not returned');
      const name = nameOf(connection);
      const before = kept.peek(name);
      // A newer version may have been confirmed meanwhile.
      if (before === undefined || before.tokenVersion <= tokenVersion) {
        const characters = sealed?.length ?? before?.characters ?? JSON.stringify(credentials).length;
        kept.set(name, { tokenVersion, credentials, characters });
        purgeLater();
      }
      return toLive(connection, stored, credentials);
    },
    forget: (connection) => void kept.delete(nameOf(connection)),
  };
}

function nameOf({ projectId, connectionId }: ConnectionKey): string {
  return `${projectId}/${connectionId}`;
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

/** The secrets that sign the messages of a webhook endpoint. */
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

export function sealForBrowser(keys: SealingKeys, cookie: string, value: unknown): Sealed {
  return sealValue(keys, { noun: 'cookie', id: cookie }, value);
}

/** A cookie may hold any text, and key rings change: neither is a defect of ours. */
export function openFromBrowser(keys: SealingKeys, cookie: string, text: string): unknown {
  try {
    return unsealValue(keys, { noun: 'cookie', id: cookie }, text);
  } catch {
    return undefined;
  }
}

/** A key ring as `libs/config` reads it from `SLUICE_CREDENTIALS_KEYS`. Keys have 32 bytes. */
export interface SealingKeys {
  /** Seals from now on; every key of the ring opens. */
  readonly currentId: string;
  key(id: string): KeyObject | undefined;
}

/** Ciphertext, bound to its owner. */
export interface Sealed {
  /** `v1.<key id>.<iv>.<tag>.<ciphertext>`, the last three in base64url. */
  readonly text: string;
  readonly keyId: string;
}

/** The owner of a secret. Copied to another row, its ciphertext does not open. */
export interface SecretOwner {
  readonly noun: 'connection' | 'provider app' | 'webhook endpoint' | 'authorization' | 'cookie';
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
    // No cause: a message of the cipher or the parser may quote what it read.
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
