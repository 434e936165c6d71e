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
  const { groupRef, isExpiring, providerAppId } = stored;
  const credentials = unsealValue(source.keyring, { noun: 'connection', id: connectionId }, stored.sealed);
  return { live: toLive({ connectionId, groupRef }, stored, credentials), isExpiring, providerAppId };
}

/** A connection, and the project that it belongs to. */
type OwnedConnection = Pick<LiveCredentials, 'connectionId' | 'groupRef'>;

function toLive(
  { connectionId, groupRef }: OwnedConnection,
  { tokenVersion, provider, status, workspaceRef, metadata }: ConfirmedCredentials,
  credentials: Credentials,
): LiveCredentials {
  return { connectionId, tokenVersion, provider, groupRef, status, workspaceRef, metadata, credentials };
}

/** Opened credentials of one version. Before each use a statement confirms that this version is the stored one. */
export interface KnownCredentials {
  readonly tokenVersion: number;
  readonly credentials: Credentials;
}

/** Connections in use at once per process. */
const knownMax = 10_000;
/** Bytes of the kept credentials, sealed, which is a little more than opened: 2 MB in a process of 256 MiB, for 2,000 usual tokens. */
const knownCharactersMax = heapShare(128);
/** An unused or deleted connection leaves memory this long after it was last confirmed. Our choice. */
const knownForMs = 60_000;
const purgeEveryMs = 10_000;

/**
 * Credentials that this process has opened, so that they are neither sent nor opened again while they are the ones stored. They are never used on
 * their own: the statement that promises a send compares the version, and returns those that replaced it.
 */
export class CredentialMemory {
  private readonly kept: LRUCache<string, KnownCredentials & { readonly characters: number }>;
  private purging: NodeJS.Timeout | undefined;

  /** @param now monotonic milliseconds. @default performance.now */
  constructor(
    private readonly keyring: SealingKeys,
    now = () => performance.now(),
  ) {
    this.kept = new LRUCache({
      max: knownMax,
      maxSize: knownCharactersMax,
      sizeCalculation: ({ characters }) => characters,
      ttl: knownForMs,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /** To be offered to the statement. */
  find(connection: ConnectionKey): KnownCredentials | undefined {
    return this.kept.get(nameOf(connection));
  }

  /**
   * What the statement confirmed or returned, for use now.
   * @param known what it was offered
   * @throws DefectError when the key is not in the ring, or the text was altered or belongs to another connection
   */
  confirm(
    connection: ConnectionKey & OwnedConnection,
    stored: ConfirmedCredentials,
    known: KnownCredentials | undefined,
  ): LiveCredentials {
    const { sealed, tokenVersion } = stored;
    const owner = { noun: 'connection', id: connection.connectionId } as const;
    const credentials = sealed === undefined ? known?.credentials : unsealValue(this.keyring, owner, sealed);
    if (credentials === undefined) throw unreadable(owner, 'were not returned');
    const name = nameOf(connection);
    const before = this.kept.peek(name);
    // A newer version may have been confirmed meanwhile.
    if (before === undefined || before.tokenVersion <= tokenVersion) {
      const characters = sealed?.length ?? before?.characters ?? JSON.stringify(credentials).length;
      this.kept.set(name, { tokenVersion, credentials, characters });
      this.purgeLater();
    }
    return toLive(connection, stored, credentials);
  }

  /** The connection is gone, or another one took its place. */
  forget(connection: ConnectionKey): void {
    this.kept.delete(nameOf(connection));
  }

  private purgeLater(): void {
    this.purging ??= setTimeout(() => {
      this.purging = undefined;
      this.kept.purgeStale();
      if (this.kept.size > 0) this.purgeLater();
    }, purgeEveryMs).unref();
  }
}

function nameOf({ projectId, connectionId }: ConnectionKey): string {
  return `${projectId}/${connectionId}`;
}

/** The secrets that sign the messages of a webhook endpoint, and its address where that is one. */
export interface WebhookSecrets {
  readonly current: string;
  /** Before the last rotation; who uses it asks the database whether it signs still. */
  readonly previous?: string;
  /** Of kind `slack`: who knows it can post there. */
  readonly url?: string;
}

/** What is sealed, by the noun of its owner. */
export interface Secrets {
  readonly connection: Credentials;
  /** Its client secret. */
  readonly 'provider app': string;
  readonly 'webhook endpoint': WebhookSecrets;
  /** The PKCE verifier of an authorization that was begun; its id is the hash of the state. */
  readonly authorization: string;
  /** What a browser keeps for us; its id is the name of the cookie. */
  readonly cookie: unknown;
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
export interface SecretOwner<Noun extends keyof Secrets = keyof Secrets> {
  readonly noun: Noun;
  readonly id: string;
}

const version = 'v1';
const algorithm = 'aes-256-gcm';
/** The size GCM is made for: NIST SP 800-38D, 5.2.1.1. */
const ivBytes = 12;
const tagBytes = 16;

/** Seals a JSON value for its owner with the current key, under a fresh random iv. */
export function sealValue<Noun extends keyof Secrets>(
  keys: SealingKeys,
  owner: SecretOwner<Noun>,
  value: Secrets[Noun],
): Sealed {
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
export function unsealValue<Noun extends keyof Secrets>(
  keys: SealingKeys,
  owner: SecretOwner<Noun>,
  text: string,
): Secrets[Noun] {
  const [format, keyId, iv, tag, ciphertext, ...rest] = text.split('.');
  if (format !== version || !keyId || !iv || !tag || ciphertext === undefined || rest.length > 0) {
    throw unreadable(owner, `are not in the format ${version}`);
  }
  const key = keyOf(keys, keyId);
  try {
    const decipher = createDecipheriv(algorithm, key, fromBase64(iv), { authTagLength: tagBytes });
    decipher.setAAD(boundTo(keyId, owner)).setAuthTag(fromBase64(tag));
    const opened = Buffer.concat([decipher.update(fromBase64(ciphertext)), decipher.final()]);
    return JSON.parse(opened.toString('utf8')) as Secrets[Noun];
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
