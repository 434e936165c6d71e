import type { Reply, SluiceClient } from '@sluice/client';
import type { Integration, SearchReply, SearchRequest, WriteRequest } from '@sluice/types';
import type { DemoCustomer } from '../demo/demo';
import type { SandboxClient } from '../sandbox-client';
import type { Crm } from './crm';
import type { SampleContact } from './sample-contacts';

/** What every step works with. */
export interface Tour {
  /** Everything that is no write or search, in the tour's project. */
  readonly client: SluiceClient;
  readonly hubspot: TourProvider;
  readonly salesforce: TourProvider;
  /** The sample file, with the emails of this run. */
  readonly contacts: readonly SampleContact[];
  /** Marks what this run writes. */
  readonly run: string;
  readonly begunAt: Date;
  readonly signal: AbortSignal;
  readonly print: Print;
}

/** Takes lines for the person who watches. */
export type Print = (line: string) => void;

/** An integration of the demo, and the CRM behind it. */
export interface TourProvider {
  readonly integration: Pick<Integration, 'id' | 'name' | 'provider'>;
  readonly sandbox: SandboxClient;
  readonly crm: Crm;
  /** How to open the CRM. */
  readonly access: Pick<DemoCustomer, 'provider' | 'token' | 'workspaceRef'>;
}

/** A customer of this run, for whom the integration is installed. Sends as a builder's application does; replies are given as they are. */
export interface Customer extends TourProvider {
  readonly groupRef: string;
  /** Which reply comes follows from the request, which each step knows. @param objectName default: the people of the CRM */
  readonly write: <T>(request: Omit<WriteRequest, 'groupRef'>, objectName?: string) => Promise<Reply<T>>;
  /** Among the people of the CRM. */
  readonly search: (request: Omit<SearchRequest, 'objectName'>) => Promise<Reply<SearchReply>>;
}

/** What a step prints: one line. */
export interface StepLine {
  readonly sent: string;
  readonly got: string;
  /** What the sandbox reports about it. */
  readonly crm: string;
  readonly tookMs: number;
}

/** A step that ended well, with what later steps need of it. */
export interface StepOutcome<T> extends StepLine {
  readonly value: T;
}
