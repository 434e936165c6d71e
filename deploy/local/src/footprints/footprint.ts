import type { Log } from '@sluice/stack';
import type { LocalSecrets } from '../local-secrets';

/** What a footprint is started with. */
export interface FootprintOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Its data, logs and the sandbox's journal. */
  readonly folder: string;
  readonly portBase: number;
  readonly logLevel: string;
  readonly secrets: LocalSecrets;
  /** Without it the services call the real providers. */
  readonly withSandbox: boolean;
  readonly log: Log;
}

/** The five services, up and migrated, with what they need. */
export interface Footprint {
  /** Where the services' log lines go: a file, or a folder with one file each. */
  readonly logs: string;
  /** Ends everything it started, services first. Never leaves a process behind. */
  stop(): Promise<void>;
}
