import type { Log } from './log';
import type { ServiceName, StartedService, StateBook } from './stack-state';

/** What a starter may use. */
export interface StartContext {
  readonly dataDir: string;
  readonly env: NodeJS.ProcessEnv;
  readonly book: StateBook;
  /** Whether what is committed survives a crash of the machine. */
  readonly isDurable: boolean;
  /** One line for whoever waits. */
  readonly log: Log;
}

/** How one service is brought up, asked and ended. Redis, Kafka and Postgres each have one. */
export interface ServiceStarter {
  readonly name: ServiceName;
  /**
   * Starts the service and waits until it answers.
   * @param remember called as soon as there is something to end, before it answers
   * @throws DependencyError with the end of its log, or with the ways to get the program
   */
  start(context: StartContext, remember: (service: StartedService) => void): Promise<StartedService>;
  /** One that runs on this data though `stack.json` does not know it. */
  findOrphan?(context: StartContext): StartedService | undefined;
  /** Whether it serves requests now. */
  answers(service: StartedService): Promise<boolean>;
  /** Ends it in its own orderly way, then by force. */
  stop(service: StartedService): Promise<void>;
}
