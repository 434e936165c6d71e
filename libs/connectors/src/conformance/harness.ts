import type { Connector } from '../connector';
import type { Auth, Fields } from '../requests';

/** What happens to the next write that reaches the provider. */
export type Fault = 'commit-then-reset' | 'reset-before-commit' | 'quota' | 'unavailable';

/** What the suite needs of a provider, real or imitated. */
export interface ConnectorHarness {
  readonly connector: Connector;
  readonly auth: Auth;
  /** Credentials that the provider refuses. */
  readonly badAuth: Auth;
  readonly objectName: string;
  /** Fields of a record that differs from every other seed's and that the provider can find again at once. */
  readonly fields: (seed: string) => Fields;
  /** A text field of `fields` that can be changed and searched. */
  readonly textField: string;
  /** A well-formed id of no record. */
  readonly absentId: string;
  /** Ground truth: how many records the provider holds that carry these fields. */
  readonly count: (fields: Fields) => Promise<number>;
  /** Absent: the provider cannot be made to fail, and the cases of failure are left out. */
  readonly fault?: (fault: Fault) => Promise<void>;
}

/** One case, for any test runner: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  readonly name: string;
  readonly run: () => Promise<void>;
}
