import type { LocalSettings, Log } from '@sluice/stack';
import type { LocalSecrets } from '../local-secrets';
import type { RunFolder } from '../run-folder';
import type { ProcessName } from '../service-ports';

/** What a footprint is started with. */
export interface FootprintOptions {
  readonly settings: LocalSettings;
  /** Its data, logs and the sandbox's journal. */
  readonly folder: string;
  readonly secrets: LocalSecrets;
  /** Without it the services call the real providers. */
  readonly withSandbox: boolean;
  readonly log: Log;
  /** What is started. */
  readonly names: readonly ProcessName[];
  /** Processes start again when their code changes. */
  readonly watch?: WatchOptions | undefined;
  /** Takes how a service is lent to another launcher. */
  readonly lendWith: RunFolder['lendWith'];
}

/** How processes are run for a developer who changes their code. */
export interface WatchOptions {
  /** Compiles what changes; false where another launcher does. */
  readonly isCompiling: boolean;
  /** With an inspector. */
  readonly isInspected: boolean;
}

/** The five services, up and migrated, with what they need. */
export interface Footprint {
  /** Where the services' log lines go: a file, or a folder with one file each. */
  readonly logs: string;
  /** Ends everything it started, services first. Never leaves a process behind. */
  stop(): Promise<void>;
}

/** What must be stopped, in the reverse order of starting. */
export interface StopList {
  readonly add: (stop: () => Promise<void>) => void;
  /** Runs each once, also after one that failed. A second call gives the same promise. */
  readonly run: () => Promise<void>;
}

export function createStopList(): StopList {
  const stops: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  const runAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    for (const stop of stops.toReversed()) {
      await stop().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };
  return { add: (stop) => void stops.push(stop), run: () => (running ??= runAll()) };
}
