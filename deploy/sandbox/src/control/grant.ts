import type { IssuedTokens, NewTokens } from './imitated-provider';

/** The app a customer has allowed in. */
export interface AppCredentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What can be set about the tokens of an account. */
export interface GrantSettings {
  readonly app: AppCredentials;
  /** Whether each refresh returns a new refresh token and ends the old one. @default false */
  readonly rotateRefreshTokens: boolean;
  /** How long a refresh token is still accepted after another replaced it. @default 0 */
  readonly refreshTokenGraceMs: number;
}

/** A grant as the journal stores it. */
export interface GrantState {
  readonly settings: GrantSettings;
  /** Refresh tokens so far, the current one last. */
  readonly refreshTokens: readonly string[];
  readonly standing: 'live' | 'revoked';
  /** How often tokens were issued. */
  readonly serial: number;
  /** Access tokens with the moment they end, ISO 8601; null is never. The current one is last. */
  readonly accessTokens: readonly (readonly [token: string, expiresAt: string | null])[];
  /** Refresh tokens that were rotated away, with the moment it happened, ISO 8601. */
  readonly rotated: readonly (readonly [token: string, at: string])[];
}

/** How long a token is stored after its end, to be reported as expired rather than unknown. */
const REMEMBERED_MS = 86_400_000;

/** The tokens of one account: which are valid, until when, and the next ones. */
export class Grant {
  private state: GrantState;

  constructor(settings: GrantSettings, first: NewTokens, now: Date) {
    this.state = { settings, refreshTokens: [], standing: 'live', serial: 0, accessTokens: [], rotated: [] };
    this.addAccessToken(first.accessToken, now);
    this.addRefreshToken(first.refreshToken);
  }

  get current(): GrantState {
    return this.state;
  }

  get refreshToken(): string {
    return this.state.refreshTokens.at(-1) ?? '';
  }

  get accessToken(): string {
    return this.state.accessTokens.at(-1)?.[0] ?? '';
  }

  /** @returns undefined for a token of another account, null for one that never ends */
  expiryOf(accessToken: string): Date | null | undefined {
    const expiresAt = this.state.accessTokens.find(([token]) => token === accessToken)?.[1];
    return typeof expiresAt === 'string' ? new Date(expiresAt) : expiresAt;
  }

  change(settings: Partial<GrantSettings>): void {
    this.state = { ...this.state, settings: { ...this.state.settings, ...settings } };
  }

  /** Makes an access token the current one, valid again if it was not. */
  addAccessToken(token: string, now: Date, lifetimeSeconds?: number): void {
    const expiresAt = lifetimeSeconds === undefined ? null : new Date(now.getTime() + lifetimeSeconds * 1000);
    const others = this.state.accessTokens.filter(
      ([known, end]) => known !== token && (end === null || Date.parse(end) > now.getTime() - REMEMBERED_MS),
    );
    this.state = { ...this.state, accessTokens: [...others, [token, expiresAt?.toISOString() ?? null]] };
  }

  /** Makes a refresh token the current one; the grant is live again. */
  addRefreshToken(token: string): void {
    const others = this.state.refreshTokens.filter((known) => known !== token);
    this.state = { ...this.state, refreshTokens: [...others, token], standing: 'live' };
  }

  /** Whether a refresh token of this account is valid now: the current one, or one within its grace. */
  takesRefreshToken(token: string, now: Date): boolean {
    if (this.state.standing !== 'live') return false;
    if (token === this.refreshToken) return true;
    const at = this.state.rotated.find(([known]) => known === token)?.[1];
    return at !== undefined && now.getTime() - Date.parse(at) < this.state.settings.refreshTokenGraceMs;
  }

  /** Ends every access token now; the refresh token stays valid. */
  expire(now: Date): void {
    const accessTokens = this.state.accessTokens.map(([token, end]) =>
      end !== null && Date.parse(end) <= now.getTime()
        ? ([token, end] as const)
        : ([token, now.toISOString()] as const),
    );
    this.state = { ...this.state, accessTokens };
  }

  /** Ends every token, the refresh token as well. */
  revoke(now: Date): void {
    this.expire(now);
    this.state = { ...this.state, standing: 'revoked' };
  }

  /**
   * Issues the next access token, and a new refresh token when they rotate or when none is valid. Earlier access tokens
   * stay valid until their end, as at both providers.
   */
  issue(next: (serial: number) => NewTokens, options: { now: Date; lifetimeSeconds: number }): IssuedTokens {
    const serial = this.state.serial + 1;
    const tokens = next(serial);
    const { now, lifetimeSeconds } = options;
    const isRefreshTokenNew = this.state.settings.rotateRefreshTokens || this.state.standing !== 'live';
    const replaced = [this.refreshToken, now.toISOString()] as const;
    const rotated = isRefreshTokenNew ? [...this.state.rotated, replaced] : this.state.rotated;
    this.state = { ...this.state, serial, rotated };
    this.addAccessToken(tokens.accessToken, now, lifetimeSeconds);
    if (isRefreshTokenNew) this.addRefreshToken(tokens.refreshToken);
    return { accessToken: tokens.accessToken, refreshToken: this.refreshToken, isRefreshTokenNew, lifetimeSeconds };
  }

  /** Restores the state of a journal. */
  restore(state: GrantState): void {
    this.state = state;
  }
}
