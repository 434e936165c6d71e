import type { Auth } from '@sluice/connectors';
import type { ConnectorHarness } from '@sluice/connectors/conformance';

/** An account of the sandbox, as its control API shows it. */
export interface SandboxAccount {
  readonly account: string;
  readonly token: string;
  readonly refreshToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly workspaceRef: string;
}

/** Members of a harness that are about the words of a provider, and not about where it is. */
type Said = Pick<
  ConnectorHarness,
  'objectName' | 'fields' | 'isUnique' | 'textField' | 'absentId' | 'describesFromFile' | 'isResendSafe'
>;

/** One provider, or one object or path layout of it, as the conformance suite is run on it. */
export interface ProviderWords extends Said {
  /** The connector's name of the provider; accounts of the sandbox have it too. */
  readonly provider: string;
  /** What distinguishes it from others of the provider. @default the provider alone */
  readonly title?: string;
  /** A well-formed token that opens nothing. */
  readonly badToken: string;
  /** The status with which the provider reports each of these. */
  readonly statuses: { readonly quota: number; readonly unavailable: number };
  /** Path of creates: a prefix, or an expression that begins with `^`; so a fault meets no search. @default any POST */
  readonly writePath?: string;
  /** @default its token, and the workspace it names */
  readonly auth?: (account: SandboxAccount) => Auth;
  /** @default HubSpot's older layout */
  readonly hubspotVersion?: 'v3' | '2026-03';
  /** Another object that records can be linked to, read past the connector. */
  readonly link?: {
    readonly from: string;
    readonly to: string;
    readonly typeId: number;
    readonly fields: (seed: string) => Readonly<Record<string, unknown>>;
  };
  /** OAuth apps of the sandbox refresh its tokens. @default false */
  readonly hasGrants?: boolean;
  /** Cases that there are at least: a suite that shrinks by accident is noticed. */
  readonly casesMin: number;
}
