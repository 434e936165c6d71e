import type { SluiceClient as Client } from '@sluice/client';
import type { SandboxClient } from '../clients/sandbox-client';
import type { SluiceClient } from '../clients/sluice-client';
import type { Place } from './customer';
import type { SampleContact } from './sample-contacts';

/** What every step works with. */
export interface Tour {
  /** Writes and searches of the HubSpot integration. */
  readonly sluice: SluiceClient;
  /** Everything that is no write or search, in the tour's project. */
  readonly client: Client;
  /** The HubSpot account. */
  readonly sandbox: SandboxClient;
  readonly projectId: string;
  readonly hubspot: Place;
  readonly salesforce: Place;
  /** The sample file, with the emails of this run. */
  readonly contacts: readonly SampleContact[];
  /** Marks what this run writes. */
  readonly run: string;
  readonly begunAt: Date;
  readonly signal: AbortSignal;
}

/** What a step prints: one line. */
export interface StepLine {
  readonly sent: string;
  readonly got: string;
  /** What the sandbox says of it. */
  readonly crm: string;
  readonly tookMs: number;
}

/** A step that ended well, with what later steps need of it. */
export interface StepOutcome<T = undefined> extends StepLine {
  readonly value: T;
}
