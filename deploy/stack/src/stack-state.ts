import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from './checkout';
import { type ProcessIdentity, unavailable } from './processes';

/** Takes one line of progress. */
export type Log = (line: string) => void;

/** Prints a line for people. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** What the starter can bring up. */
export const serviceNames = ['postgres', 'redis', 'kafka'] as const;
export type ServiceName = (typeof serviceNames)[number];

/** Where a service that we started runs: as a process of this machine or in a container. */
export type Runtime =
  | { readonly origin: 'program'; readonly process: ProcessIdentity }
  | { readonly origin: 'container'; readonly engine: string; readonly containerId: string };

/** A service that we started. `url` is what its environment variable takes. */
export interface StartedService {
  readonly runtime: Runtime;
  readonly port: number;
  readonly url: string;
}

/** A process that needs services. It leaves the list when it ends. */
export interface Holder {
  readonly id: string;
  readonly process: ProcessIdentity;
  readonly wants: readonly ServiceName[];
}

/** The state of one data folder between runs. */
export interface StackState {
  /** Ports chosen once, by listener name. */
  readonly ports: Record<string, number>;
  readonly services: { [Name in ServiceName]?: StartedService };
  /** Services that stay up until `npm run stack -- stop`, whether or not anything needs them. */
  kept: ServiceName[];
  holders: Holder[];
  /** Where Postgres lives when it cannot live in the data folder. */
  postgresHome?: string;
}

/** The state of one data folder, as read when opened; written whole by `save`. Only for the holder of the lock. */
export interface StateBook {
  readonly state: StackState;
  save(): void;
}

/**
 * Reads `stack.json` of the folder, which need not exist.
 * @throws DependencyError when the file is there and cannot be understood
 */
export function openStateBook(dataDir: string): StateBook {
  mkdirSync(dataDir, { recursive: true });
  const state = readState(dataDir);
  return {
    state,
    // The addresses in it carry a password.
    save: () => writePrivateFile(join(dataDir, 'stack.json'), state),
  };
}

/** What is remembered, without the right to change it. */
export function readState(dataDir: string): StackState {
  const empty: StackState = { ports: {}, services: {}, kept: [], holders: [] };
  const file = join(dataDir, 'stack.json');
  if (!existsSync(file)) return empty;
  try {
    return { ...empty, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<StackState>) };
  } catch (cause) {
    const detail = `${file} is not readable, so it is not known which services run.`;
    const remedy = 'End what still runs from that folder, then remove the file.';
    throw unavailable(detail, { remedy, cause });
  }
}

/** Writes down that the service runs. @returns it */
export function record(book: StateBook, name: ServiceName, service: StartedService): StartedService {
  book.state.services[name] = service;
  book.state.ports[name] = service.port;
  book.save();
  return service;
}
