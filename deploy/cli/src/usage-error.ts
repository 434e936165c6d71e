import type { Command, CommanderError } from 'commander';

/** Commands of a checkout that a person may expect here. */
const elsewhere: Readonly<Record<string, string>> = {
  certify: 'npm run certify',
  start: 'npm start',
};

/** Commander's message for a wrong command line, as one line with the nearest name; undefined when it has shown the help instead. */
export async function describeUsageError(
  { code, message }: CommanderError,
  program: Command,
  argv: readonly string[],
): Promise<string | undefined> {
  if (code === 'commander.help') return undefined;
  const { command, rest } = deepest(
    program,
    argv.slice(2).filter((word) => !word.startsWith('-')),
  );
  // Where a group lists by itself, commander takes a word that is no command for an argument of the list.
  const isWord = code === 'commander.excessArguments' && command.commands.length > 0;
  const fault = isWord ? `unknown command '${rest[0]}'` : message.replace(/^error: /, '');
  const unknown = /^unknown (?:command|option) '([^']*)'/.exec(fault)?.[1];
  const hint = unknown === undefined ? undefined : await hintFor(unknown, command);
  const sentences = [fault, hint, `See: ${pathOf(command)} --help`];
  return sentences.flatMap((part) => (part === undefined ? [] : [/[.?]$/.test(part) ? part : `${part}.`])).join(' ');
}

async function hintFor(unknown: string, command: Command): Promise<string | undefined> {
  const other = command.parent === null ? elsewhere[unknown] : undefined;
  if (other !== undefined) return `In a checkout it is: ${other}`;
  const { nearestName } = await import('@sluice/config');
  const nearest = nearestName(unknown, unknown.startsWith('-') ? optionsOf(command) : namesOf(command));
  return nearest === undefined ? undefined : `Did you mean ${nearest}?`;
}

function namesOf(command: Command): readonly string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name());
}

function optionsOf(command: Command): readonly string[] {
  const own = command.options.flatMap(({ long }) => long ?? []);
  return command.parent === null ? own : [...own, ...optionsOf(command.parent)];
}

/** The command that the words lead to, and the words that are left. */
function deepest(
  command: Command,
  rest: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  const found = command.commands.find((each) => each.name() === rest[0]);
  return found === undefined ? { command, rest } : deepest(found, rest.slice(1));
}

/** `sluice op watch`. */
function pathOf(command: Command): string {
  return command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;
}
