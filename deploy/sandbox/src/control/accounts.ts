import { ConflictError, NotFoundError } from '@sluice/errors';
import { Account } from './account';
import { Grant, type AppCredentials, type GrantSettings } from './grant';
import type { AccountSettings, CallLimits, ImitatedProvider, ProviderName } from './imitated-provider';
import { derivedUuid } from './derived';

/** Body of `POST /_sandbox/accounts`. Absent settings keep their value on an account that exists. */
export interface AccountRequest extends Partial<Omit<AccountSettings, 'limits'>>, Partial<Omit<GrantSettings, 'app'>> {
  readonly name: string;
  /** Fixed when the account is opened. */
  readonly provider: ProviderName;
  /** A bearer token that selects the account. @default one derived from the name, the same on every run */
  readonly token?: string;
  readonly limits?: Partial<CallLimits>;
  /** The OAuth app of the account. @default one app for all accounts of a provider */
  readonly app?: AppCredentials;
  /** @default one derived from the name, the same on every run */
  readonly refreshToken?: string;
}

/** The accounts of a sandbox, over all its providers. A name is unique. */
export class Accounts {
  private readonly byNames = new Map<string, Account>();
  private readonly byTokens = new Map<string, Account>();

  constructor(private readonly providers: readonly ImitatedProvider[]) {}

  /**
   * Opens an account, or changes the settings of the one with this name.
   * @throws ConflictError when a token selects another account, the name is taken at another provider, or the provider has no such
   *   data centre
   */
  open(request: AccountRequest, now: Date): Account {
    const existing = this.byNames.get(request.name);
    if (existing && existing.provider.name !== request.provider) {
      throw new ConflictError({
        code: 'request.invalid',
        detail: `The account ${request.name} is one of ${existing.provider.name}. Choose another name for ${request.provider}.`,
      });
    }
    for (const token of [request.token, request.refreshToken]) this.refuseTaken(token, existing);
    refuseElsewhere(this.provider(request.provider), request.dataCentre);
    const account = existing ?? this.add(request, now);
    account.settings = mergeSettings(account.settings, request);
    if (existing) changeGrant(existing.grant, request, now);
    this.register(account);
    return account;
  }

  /** Makes every token of an account select it. Call after tokens were issued. */
  register(account: Account): void {
    const { accessTokens, refreshTokens } = account.grant.current;
    for (const [token] of accessTokens) this.byTokens.set(token, account);
    for (const token of refreshTokens) this.byTokens.set(token, account);
  }

  /** By an access token or a refresh token, valid or not. */
  findByToken(token: string): Account | undefined {
    return this.byTokens.get(token);
  }

  /** @throws NotFoundError that lists the accounts */
  get(name: string): Account {
    const found = this.byNames.get(name);
    if (found) return found;
    const known = [...this.byNames.keys()].join(', ') || 'none';
    throw new NotFoundError({ code: 'request.path-unknown', detail: `No account ${name}. Known: ${known}.` });
  }

  all(): readonly Account[] {
    return [...this.byNames.values()];
  }

  private add(request: AccountRequest, now: Date): Account {
    const provider = this.provider(request.provider);
    const imitated = provider.openAccount(request.name);
    const derived = provider.newTokens(imitated, request.name, 0);
    const first = {
      accessToken: request.token ?? derived.accessToken,
      refreshToken: request.refreshToken ?? derived.refreshToken,
    };
    const given = grantSettings(request);
    const initial = { app: derivedApp(provider.name), rotateRefreshTokens: false, refreshTokenGraceMs: 0, ...given };
    const settings = { ...usualSettings, limits: { ...noLimits, ...provider.defaultLimits } };
    const account = new Account({
      name: request.name,
      provider,
      imitated,
      grant: new Grant(initial, first, now),
      settings,
    });
    this.byNames.set(request.name, account);
    return account;
  }

  private provider(name: ProviderName): ImitatedProvider {
    const found = this.providers.find((provider) => provider.name === name);
    if (found) return found;
    const known = this.providers.map((provider) => provider.name).join(', ');
    throw new ConflictError({ code: 'request.invalid', detail: `No provider ${name}. Known: ${known}.` });
  }

  private refuseTaken(token: string | undefined, existing: Account | undefined): void {
    const owner = token === undefined ? undefined : this.findByToken(token);
    if (!owner || owner === existing) return;
    throw new ConflictError({ code: 'request.invalid', detail: `The token selects the account ${owner.name}.` });
  }
}

function refuseElsewhere({ name, dataCentres = [] }: ImitatedProvider, dataCentre: string | undefined): void {
  if (dataCentre === undefined || dataCentres.includes(dataCentre)) return;
  const known = dataCentres.join(', ') || 'none';
  const detail = `${name} has no data centre ${dataCentre}. Known: ${known}.`;
  throw new ConflictError({ code: 'request.invalid', detail });
}

const usualSettings: Omit<AccountSettings, 'limits'> = { lockContention: 0, searchLagMs: 0 };
const noLimits: CallLimits = {
  perTenSeconds: 0,
  searchesPerSecond: 0,
  perDay: 0,
  concurrentLong: 0,
  longAfterMs: 20_000,
};

function mergeSettings(current: AccountSettings, request: AccountRequest): AccountSettings {
  const given = pick(request, [
    'lockContention',
    'searchLagMs',
    'dataCentre',
    'tokenMembers',
    'auditFields',
    'myDomain',
  ]);
  return { ...current, ...given, limits: { ...current.limits, ...request.limits } };
}

/** The members that are given. */
function pick<K extends keyof AccountRequest>(request: AccountRequest, names: readonly K[]): Pick<AccountRequest, K> {
  const given = names.filter((name) => request[name] !== undefined).map((name) => [name, request[name]]);
  return Object.fromEntries(given) as Pick<AccountRequest, K>;
}

function changeGrant(grant: Grant, request: AccountRequest, now: Date): void {
  grant.change(grantSettings(request));
  if (request.token !== undefined) grant.addAccessToken(request.token, now);
  if (request.refreshToken !== undefined) grant.addRefreshToken(request.refreshToken);
}

const grantSettings = (request: AccountRequest): Partial<GrantSettings> =>
  pick(request, ['app', 'rotateRefreshTokens', 'refreshTokenGraceMs']);

/** The OAuth app that accounts of a provider share unless they are opened with another; the same on every run. */
function derivedApp(provider: ProviderName): AppCredentials {
  return { clientId: derivedUuid(`app of ${provider}`), clientSecret: derivedUuid(`app secret of ${provider}`) };
}
