import type { Argument, Command, Option } from 'commander';
import { pathOf } from '../usage-error';

/** A command, and what may follow it on the line. */
export interface CommandEntry {
  /** `sluice op watch`. */
  readonly path: string;
  readonly commands: readonly Word[];
  /** Its own ones, without those that every command takes. */
  readonly options: readonly Choice[];
  /** No command takes more than one; absent for those that take none. */
  readonly argument?: Values;
}

export interface Word {
  readonly word: string;
  readonly about: string;
}

export interface Choice extends Word {
  /** What follows the option; absent for a switch. */
  readonly values?: Values;
}

/** What a value may be. */
export interface Values {
  /** As the help calls it. */
  readonly name: string;
  /** Every one that is valid; empty for files and profiles, and where only the service knows. */
  readonly words: readonly string[];
  readonly isFile: boolean;
  /** One of `profilesCommand`, which the shell asks at the time. */
  readonly isProfile: boolean;
  /** Whether more may follow the first. */
  readonly isMany: boolean;
}

/** Prints what the file of profiles names, one a line; asks no server. */
export const profilesCommand = 'sluice profile list --names';

/** Every command of the program, the program itself first. */
export function entriesOf(command: Command): CommandEntry[] {
  const below = command.commands.filter((each) => each.name() !== 'help');
  const [argument] = command.registeredArguments;
  // A group alone lists: it takes the options of its list.
  const takers = [command, ...below.filter((each) => each.name() === 'list')];
  const entry = {
    path: pathOf(command),
    commands: below.map((each) => ({ word: each.name(), about: each.description() })),
    options: takers.flatMap(({ options }) => options.filter((each) => !isCommon(each, command)).map(toChoice)),
    ...(argument !== undefined && { argument: toValues(argument.name(), argument) }),
  };
  return [entry, ...below.flatMap(entriesOf)];
}

/** The options that every command takes. */
export function commonOptions(program: Command): readonly Choice[] {
  const common = program.options.filter((option) => isCommon(option, program));
  return [...common.map(toChoice), { word: '--help', about: 'show the help' }];
}

/** The version alone is asked of the program itself. */
function isCommon(option: Option, command: Command): boolean {
  return command.parent === null && option.attributeName() !== 'version';
}

function toChoice(option: Option): Choice {
  const { long, description, required, flags } = option;
  const name = /<(\w+)/.exec(flags)?.[1] ?? '';
  return { word: long ?? flags, about: description, ...(required && { values: toValues(name, option) }) };
}

function toValues(name: string, { argChoices = [], variadic }: Argument | Option): Values {
  return { name, words: argChoices, isFile: name === 'file', isProfile: name === 'profile', isMany: variadic };
}
