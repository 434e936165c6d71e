import type { ConnectionStatus } from './connection';

/**
 * The secrets of a connection, in memory only: sealed at rest, and never in a message, a log or a reply.
 * Source: specification, Connection; one of the members is set, by `authScheme`.
 */
export interface Credentials {
  readonly accessToken?: string;
  readonly refreshToken?: string;
  /** When the access token ends, ISO 8601. Absent: not known. */
  readonly expiresAt?: string;
  readonly apiKey?: string;
  readonly basicAuth?: { readonly username: string; readonly password: string };
  readonly clientCredentials?: { readonly clientId: string; readonly clientSecret: string };
  readonly passwordCredentials?: {
    readonly username: string;
    readonly password: string;
    readonly clientId: string;
    readonly clientSecret: string;
  };
}

/** What asks for a token by itself, without a customer or an app of the builder; undefined for other credentials. */
export function grantOf({ clientCredentials, passwordCredentials }: Credentials) {
  if (clientCredentials) return { grantType: 'client_credentials', ...clientCredentials } as const;
  if (passwordCredentials) return { grantType: 'password', ...passwordCredentials } as const;
  return undefined;
}

/** Credentials as read at one moment. Status and token writes compare-and-set on `tokenVersion`. */
export interface LiveCredentials {
  readonly connectionId: string;
  readonly tokenVersion: number;
  readonly provider: string;
  /** Whose connection it is. */
  readonly groupRef: string;
  readonly status: ConnectionStatus;
  readonly workspaceRef?: string;
  /** Values of the connection's provider metadata, by name. */
  readonly metadata?: Readonly<Record<string, string>>;
  readonly credentials: Credentials;
}

/** The secret that opens an account, its kind, and the values that the account's address may need. */
export interface AccountAccess extends Pick<LiveCredentials, 'workspaceRef' | 'metadata'> {
  /** A token, a key, or user name and password joined as in RFC 7617 (base64); empty without any. */
  readonly accessToken: string;
  readonly kind: 'oauth2' | 'apiKey' | 'basic' | 'none';
}

/** The access with which a connector opens the account. It sees nothing else of the credentials. */
export function accessOf(live: Pick<LiveCredentials, 'credentials' | 'workspaceRef' | 'metadata'>): AccountAccess {
  const { credentials, workspaceRef, metadata } = live;
  return { ...tokenOf(credentials), workspaceRef, metadata };
}

/** An access token before everything else: a grant's own credentials only lead to one. */
function tokenOf({ accessToken, apiKey, basicAuth, ...grants }: Credentials): AccountAccess {
  if (accessToken !== undefined) return { accessToken, kind: 'oauth2' };
  if (apiKey !== undefined) return { accessToken: apiKey, kind: 'apiKey' };
  if (basicAuth) {
    const pair = new TextEncoder().encode(`${basicAuth.username}:${basicAuth.password}`);
    return { accessToken: Buffer.from(pair).toString('base64'), kind: 'basic' };
  }
  return { accessToken: '', kind: Object.keys(grants).length > 0 ? 'oauth2' : 'none' };
}
