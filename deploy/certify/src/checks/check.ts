import type { Connector } from '@sluice/connectors';
import type { Trial } from '../trial';

/** One row of the capability report: what we say, and how the account is asked. */
export interface Check {
  readonly capability: string;
  /** What our table says of it; undefined: the provider lacks it, and nothing is asked. */
  readonly claimed: (connector: Connector, trial: Trial) => string | undefined;
  /**
   * Asks the account. @returns what was seen, when it is as we say
   * @throws Differs, NotTried, ProviderError
   */
  readonly run: (trial: Trial) => Promise<string>;
}
