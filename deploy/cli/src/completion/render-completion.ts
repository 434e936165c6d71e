import type { Command } from 'commander';
import { bash } from './bash';
import { fish } from './fish';
import { commonOptions, entriesOf, type Choice, type CommandEntry } from './command-entries';
import { zsh } from './zsh';

/** Makes the completion script of a shell from the commands and the options that all of them take. */
export type Render = (entries: readonly CommandEntry[], common: readonly Choice[]) => string;

const renders = { bash, zsh, fish } satisfies Record<string, Render>;

/** The script for a shell, made of the commands themselves. */
export function renderCompletion(program: Command, shell: keyof typeof renders): string {
  return renders[shell](entriesOf(program), commonOptions(program));
}
