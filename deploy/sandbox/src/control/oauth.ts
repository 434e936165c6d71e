import { createHash, randomUUID } from 'node:crypto';
import type { Account } from './account';
import type { Accounts } from './accounts';
import type { ImitatedProvider, IssuedTokens, ReceivedCall, TokenRefusal } from './imitated-provider';

/** A request to a token endpoint: of an account, or refused because it is of none. */
export type TokenRequest =
  | { readonly account?: undefined; readonly refusal: TokenRefusal }
  | {
      readonly account: Account;
      /** Carries it out. @returns the tokens, or why there are none */
      readonly exchange: (now: Date) => IssuedTokens | TokenRefusal;
    };

/** The stores of tokens and codes. */
interface Granting {
  readonly accounts: Accounts;
  readonly codes: AuthorizationCodes;
}

/** Reads a form-encoded token request. Source: RFC 6749, 4.1.3 and 6; id and secret of the client are in the body or by HTTP Basic (2.3.1). */
export function readTokenRequest(from: Granting, provider: ImitatedProvider, call: ReceivedCall): TokenRequest {
  const form = withClient(new URLSearchParams(call.bodyText), call.headers['authorization']);
  switch (form.get('grant_type')) {
    case 'refresh_token':
      return refreshRequest(from.accounts, provider, form);
    case 'authorization_code':
      return codeRequest(from, provider, form);
    case 'password':
      return passwordRequest(from.accounts, provider, form);
    case 'client_credentials':
      return clientRequest(from.accounts, provider, form);
    default:
      return { refusal: 'grant-type-unknown' };
  }
}

/** The form with the client of an `Authorization: Basic` header, whose two parts are form-encoded before they are joined. */
function withClient(form: URLSearchParams, authorization = ''): URLSearchParams {
  const encoded = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(authorization)?.[1];
  if (encoded === undefined || form.has('client_id')) return form;
  const [id = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  for (const [name, value] of new URLSearchParams(`client_id=${id}&client_secret=${secret}`)) form.set(name, value);
  return form;
}

function refreshRequest(accounts: Accounts, provider: ImitatedProvider, form: URLSearchParams): TokenRequest {
  const token = form.get('refresh_token') ?? '';
  if (token === '') return { refusal: 'field-missing' };
  const account = accounts.findByToken(token);
  if (account?.provider !== provider) {
    return { refusal: appRefusal(accountsOf(accounts, provider), form) ?? 'refresh-token-gone' };
  }
  const exchange = (now: Date) =>
    appRefusal([account], form) ??
    (account.grant.takesRefreshToken(token, now) ? issue(accounts, account, now) : 'refresh-token-gone');
  return { account, exchange };
}

function codeRequest({ accounts, codes }: Granting, provider: ImitatedProvider, form: URLSearchParams): TokenRequest {
  const code = form.get('code') ?? '';
  if (code === '') return { refusal: 'field-missing' };
  const account = codes.find(code)?.account;
  if (account?.provider !== provider) {
    return { refusal: appRefusal(accountsOf(accounts, provider), form) ?? 'code-gone' };
  }
  const exchange = (now: Date) => {
    // The first request that names a code consumes it, whatever its outcome (RFC 6749, 4.1.2).
    const issued = codes.take(code, now);
    if (!issued) return 'code-gone';
    return (
      appRefusal([account], form) ??
      redirectRefusal(issued, form) ??
      verifierRefusal(issued, form) ?? {
        ...issue(accounts, account, now),
        ...(issued.isOffline ? {} : { refreshToken: undefined }),
      }
    );
  };
  return { account, exchange };
}

/** The sandbox stores no passwords: any is accepted. Source: RFC 6749, 4.3.2. */
function passwordRequest(accounts: Accounts, provider: ImitatedProvider, form: URLSearchParams): TokenRequest {
  const { usernameOf } = provider.oauth;
  if (!usernameOf) return { refusal: 'grant-type-unknown' };
  if (!form.get('username') || !form.get('password')) return { refusal: 'field-missing' };
  const all = accountsOf(accounts, provider);
  const account = all.find(({ name }) => usernameOf(name) === form.get('username'));
  if (!account) return { refusal: appRefusal(all, form) ?? 'account-gone' };
  const exchange = (now: Date) => appRefusal([account], form) ?? issue(accounts, account, now);
  return { account, exchange };
}

/** Selects the account by its app, so the app must be of one account: the sandbox has one address for every account. Source: RFC 6749, 4.4. */
function clientRequest(accounts: Accounts, provider: ImitatedProvider, form: URLSearchParams): TokenRequest {
  if (!provider.oauth.hasClientCredentials) return { refusal: 'grant-type-unknown' };
  const all = accountsOf(accounts, provider);
  const account = all.find(({ grant }) => grant.current.settings.app.clientId === form.get('client_id'));
  if (!account) return { refusal: 'client-unknown' };
  const exchange = (now: Date) =>
    appRefusal([account], form) ??
    (account.grant.current.standing === 'live' ? issue(accounts, account, now) : 'account-gone');
  return { account, exchange };
}

function appRefusal(accounts: readonly Account[], form: URLSearchParams): TokenRefusal | undefined {
  const apps = accounts.map((account) => account.grant.current.settings.app);
  const known = apps.filter((app) => app.clientId === form.get('client_id'));
  if (known.length === 0) return 'client-unknown';
  return known.some((app) => app.clientSecret === form.get('client_secret')) ? undefined : 'client-secret-wrong';
}

const redirectRefusal = (issued: IssuedCode, form: URLSearchParams): TokenRefusal | undefined =>
  issued.redirectUri === form.get('redirect_uri') ? undefined : 'redirect-mismatch';

/** Source: RFC 7636, 4.6. */
function verifierRefusal({ codeChallenge }: IssuedCode, form: URLSearchParams): TokenRefusal | undefined {
  if (codeChallenge === undefined) return undefined;
  const verifier = form.get('code_verifier') ?? '';
  return createHash('sha256').update(verifier).digest('base64url') === codeChallenge ? undefined : 'verifier-wrong';
}

function issue(accounts: Accounts, account: Account, now: Date): IssuedTokens {
  const { provider, imitated, name, grant } = account;
  const { lifetimeSeconds } = provider.oauth;
  const tokens = grant.issue((serial) => provider.newTokens(imitated, name, serial), { now, lifetimeSeconds });
  accounts.register(account);
  return tokens;
}

const accountsOf = (accounts: Accounts, provider: ImitatedProvider): Account[] =>
  accounts.all().filter((account) => account.provider === provider);

interface IssuedCode {
  readonly account: Account;
  readonly redirectUri: string;
  readonly isOffline: boolean;
  /** The S256 challenge of the authorization request; absent when it had none. */
  readonly codeChallenge?: string;
  readonly expiresAt: Date;
}

/** A code is valid for a minute, which is what HubSpot documents. */
const LIFETIME_MS = 60_000;

/** Authorization codes that wait to be exchanged; lost at a restart. */
export class AuthorizationCodes {
  private readonly codes = new Map<string, IssuedCode>();

  issue(grant: Omit<IssuedCode, 'expiresAt'>, now: Date): string {
    const code = randomUUID();
    this.codes.set(code, { ...grant, expiresAt: new Date(now.getTime() + LIFETIME_MS) });
    return code;
  }

  find(code: string): IssuedCode | undefined {
    return this.codes.get(code);
  }

  /** Consumes a code. */
  take(code: string, now: Date): IssuedCode | undefined {
    const found = this.codes.get(code);
    this.codes.delete(code);
    return found && found.expiresAt > now ? found : undefined;
  }
}
