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

/** Credentials as read at one moment. Status and token writes compare-and-set on `tokenVersion`. */
export interface LiveCredentials {
  readonly connectionId: string;
  readonly tokenVersion: number;
  readonly provider: string;
  readonly status: ConnectionStatus;
  readonly workspaceRef?: string;
  readonly credentials: Credentials;
}
