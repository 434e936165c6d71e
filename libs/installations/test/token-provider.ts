import { ProviderError, type FailureClass } from '@sluice/errors';
import type { Connector, ConnectorRegistry, FreshTokens, TokenRefresh } from '@sluice/connectors';

/**
 * A provider's token endpoint with one grant, whose refresh token is good once: a second use is refused, as by a provider
 * that rotates. It is the edge of another library, and small enough to be imitated by hand.
 */
export interface TokenProvider {
  readonly connectors: Pick<ConnectorRegistry, 'find'>;
  /** Refreshes that were asked for, in order. */
  readonly asked: TokenRefresh[];
  /** Tokens given out, in order. */
  readonly given: string[];
  /** Set: the next refreshes fail so, without using up the refresh token. */
  failing: FailureClass | undefined;
  /** What the error of such a failure carries. @default the status of a reply */
  refusalMeta: ProviderError['meta'];
  /** Called before each answer. */
  before: () => Promise<void>;
  /** Goes on taking a refresh token that it has rotated, for as long as nobody has used the next one. @default false */
  hasGrace: boolean;
  /** Life of the issued tokens, in milliseconds; undefined: not reported. */
  lifeMs: number | undefined;
  /** Further members of its replies: the account's address. */
  says: Partial<FreshTokens>;
}

export function createTokenProvider(): TokenProvider {
  const provider: TokenProvider = {
    connectors: { find: (name) => (name === 'hubspot' ? ({ refresh } as Connector) : undefined) },
    asked: [],
    given: [],
    failing: undefined,
    refusalMeta: { status: 400 },
    before: () => Promise.resolve(),
    hasGrace: false,
    lifeMs: 1_800_000,
    says: {},
  };
  let [last, good] = ['', 'refresh-0'];
  const refresh = async (asked: TokenRefresh): Promise<FreshTokens> => {
    provider.asked.push(asked);
    await provider.before();
    if (provider.failing)
      throw new ProviderError({
        class: provider.failing,
        detail: `says ${provider.failing}`,
        meta: provider.refusalMeta,
      });
    const isTaken = asked.refreshToken === good || (provider.hasGrace && asked.refreshToken === last);
    if (!isTaken) throw new ProviderError({ class: 'credentials', detail: 'invalid_grant' });
    const number = provider.given.length + 1;
    [last, good] = [asked.refreshToken, `refresh-${number}`];
    provider.given.push(`access-${number}`);
    const expiry = provider.lifeMs === undefined ? {} : { expiresAt: new Date(Date.now() + provider.lifeMs) };
    return { accessToken: `access-${number}`, refreshToken: good, ...expiry, ...provider.says };
  };
  return provider;
}
