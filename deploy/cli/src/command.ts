import { Argument, Option } from 'commander';
import { print } from './output/print';
import type { Connected, GivenOptions } from './profiles/connect';

/** A command of `sluice`. */
export interface Command {
  /** What help says of it. */
  readonly about: string;
  /** Its options, and its argument, of which there is one at most. */
  readonly takes?: readonly (Argument | Option)[];
  /**
   * @param argument empty for a command that takes none
   * @returns the exit code; nothing: done
   */
  readonly run: (options: never, argument: string) => Promise<number | void>;
}

/** Commands of one subject. Without a command it lists. */
export interface Group {
  readonly about: string;
  readonly commands: Readonly<Record<string, Command>>;
}

interface Asking<Options, Document> extends Omit<Command, 'run'> {
  /** @returns what `--json` prints */
  readonly ask: (to: Connected, options: GivenOptions & Options, argument: string) => Promise<Document>;
  /** What people read of it. */
  readonly show: (document: Document, options: Options) => string;
}

/**
 * Does `act` at what the options, the environment or the profile in use name. What it takes is loaded then: help needs none of it.
 * @throws CommandFailure when nothing names it, and for a key that is not accepted: it names the source of the key
 */
export async function connected<T>(options: GivenOptions, act: (to: Connected) => Promise<T>): Promise<T> {
  const { connectAs } = await import('./profiles/connect.js');
  return await connectAs(options, act);
}

/** A command that asks the service for a document and prints it. */
export function asking<Options, Document>({ ask, show, ...command }: Asking<Options, Document>): Command {
  const run = async (options: GivenOptions & Options, word: string): Promise<void> => {
    const document = await connected(options, (to) => ask(to, options, word));
    print(options, document, () => show(document, options));
  };
  return { ...command, run };
}

/** @param name `<file>` */
export function argument(name: string, about?: string): Argument {
  return new Argument(name, about);
}

/** @param flags `--wait <seconds>`; without a value it is a switch */
export function option(flags: string, about: string, byDefault?: string): Option {
  return new Option(flags, about).default(byDefault);
}

export function required(flags: string, about: string): Option {
  return option(flags, about).makeOptionMandatory();
}

export const id = argument('<id>', 'id');
export const idOrName = argument('<id>', 'id or name');
export const aProvider = argument('<provider>', 'hubspot, salesforce, …');
export const ofGroup = option('--group <ref>', 'only of this group');

/** @param what happened since: `accepted` */
export function since(what: string): Option {
  const forms = '30m, 12h, 2d, or a moment such as 2026-01-31T08:00:00Z';
  return option('--since <when>', `only those ${what} since: ${forms}`);
}
