/** Options as they were given, those of every command among them. */
export interface GivenOptions {
  readonly profile?: string;
  readonly project?: string;
  readonly json?: boolean;
}

/**
 * What a command does.
 * @param args the positional arguments; those that are required are there
 * @returns the exit code; nothing: done
 */
export type RunCommand = (args: readonly string[], options: never) => Promise<number | void>;
