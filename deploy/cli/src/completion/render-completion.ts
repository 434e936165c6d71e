import type { Command } from 'commander';
import { bash } from './bash';
import { fish } from './fish';
import { commonOptions, placesOf, type Choice, type Place } from './places';
import { zsh } from './zsh';

/** Makes the script of a shell of all that may be typed: the places, and the options that every one of them takes. */
export type Render = (places: readonly Place[], common: readonly Choice[]) => string;

const renders = { bash, zsh, fish } satisfies Record<string, Render>;

/** The script for a shell, made of the commands themselves. */
export function renderCompletion(program: Command, shell: keyof typeof renders): string {
  return renders[shell](placesOf(program), commonOptions(program));
}
