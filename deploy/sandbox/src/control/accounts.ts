import { createHash } from 'node:crypto';
import { ConflictError, NotFoundError } from '@sluice/errors';
import { RecordIds } from '../hubspot/record-ids';
import type { RateLimits } from '../hubspot/rate-limit';
import { Account, defaultSettings, type AccountSettings } from './account';

/** What `POST /_sandbox/accounts` takes. Absent settings keep their value on an account that exists. */
export interface AccountRequest {
  readonly name: string;
  /** A bearer token that shall select the account. @default one derived from the name, the same on every run */
  readonly token?: string;
  readonly latencyMs?: number;
  readonly searchLagMs?: number;
  readonly limits?: Partial<RateLimits>;
}

/** The accounts of a sandbox. Name, token and portal id of one without a given token are the same on every run. */
export class Accounts {
  private readonly byNames = new Map<string, Account>();
  private readonly byTokens = new Map<string, Account>();
  private readonly portalIds = new Set<number>();
  private readonly ids = new RecordIds();

  constructor(private readonly defaults: Partial<AccountSettings> = {}) {}

  /**
   * Opens an account, or changes the settings of the one with this name.
   * @throws ConflictError when the token selects another account
   */
  open(request: AccountRequest): { account: Account; token: string } {
    const existing = this.byNames.get(request.name);
    const [known] = existing?.tokens ?? [];
    const token = request.token ?? known ?? derivedToken(request.name);
    const owner = this.findByToken(token);
    if (owner && owner !== existing) {
      throw new ConflictError({ code: 'request.invalid', detail: `The token selects the account ${owner.name}.` });
    }
    const account = existing ?? this.add(request.name);
    account.tokens.add(token);
    this.byTokens.set(token, account);
    account.settings = mergeSettings(account.settings, request);
    return { account, token };
  }

  findByToken(token: string): Account | undefined {
    return this.byTokens.get(token);
  }

  /** @throws NotFoundError naming the accounts there are */
  get(name: string): Account {
    const found = this.byNames.get(name);
    if (found) return found;
    const known = [...this.byNames.keys()].join(', ') || 'none';
    throw new NotFoundError({ code: 'request.path-unknown', detail: `No account ${name}. Known: ${known}.` });
  }

  all(): readonly Account[] {
    return [...this.byNames.values()];
  }

  /** Removes every account. Ids of records go on. */
  removeAll(): void {
    this.byNames.clear();
    this.byTokens.clear();
    this.portalIds.clear();
  }

  private add(name: string): Account {
    const account = new Account(name, this.freePortalId(name), { ...defaultSettings, ...this.defaults }, this.ids);
    this.byNames.set(name, account);
    return account;
  }

  /** Eight digits, as HubSpot's. Derived from the name, the next free one when another account has it. */
  private freePortalId(name: string): number {
    let id = 10_000_000 + (digest(name).readUInt32BE(0) % 80_000_000);
    while (this.portalIds.has(id)) id += 1;
    this.portalIds.add(id);
    return id;
  }
}

function mergeSettings(current: AccountSettings, request: AccountRequest): AccountSettings {
  return {
    latencyMs: request.latencyMs ?? current.latencyMs,
    searchLagMs: request.searchLagMs ?? current.searchLagMs,
    limits: { ...current.limits, ...request.limits },
  };
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

/** The shape of a private-app token: `pat-na1-` and a UUID. */
function derivedToken(name: string): string {
  const hex = digest(`token of ${name}`).toString('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)];
  return `pat-na1-${parts.join('-')}`;
}
