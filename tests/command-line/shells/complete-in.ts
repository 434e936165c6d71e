import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { runProgram, type Ran } from '../run-sluice';

/** Where completion is asked for. */
export interface Asked {
  /** The script that `sluice completion` printed. */
  readonly script: string;
  /** What is typed before Tab. */
  readonly line: string;
  /** The person's home, with the files that may be named, and `bin/sluice`. */
  readonly cwd: string;
}

/** A shell finds `sluice`, and that its profiles. */
function environmentOf(cwd: string) {
  return { HOME: cwd, PATH: [join(cwd, 'bin'), '/usr/bin', '/bin'].join(delimiter) };
}

/** The words that a shell offers, sorted. */
export type Complete = (program: string, asked: Asked) => Promise<readonly string[]>;

/** The program of a shell; undefined when it is not installed, which is said aloud: ask once. */
export function findShell(shell: string): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin'];
  const found = folders.map((folder) => join(folder, shell)).find((file) => existsSync(file));
  if (found === undefined) {
    process.stderr.write(
      `SKIPPED completion in ${shell}, tests/command-line/completion.test.ts: ${shell} is not installed (apt-get install ${shell})\n`,
    );
  }
  return found;
}

/** Asks bash's function as readline does, which divides words at "=" too. */
export const completeInBash: Complete = async (program, { script, line, cwd }) => {
  const words = line.split(/ +|(=)/).filter((word) => word !== undefined);
  const args = [join(__dirname, 'complete.bash'), script, ...words];
  return quietly(await runProgram(program, args, { cwd, env: environmentOf(cwd) }));
};

/** Types into a zsh with a terminal. @param folder where `_sluice` was kept, in place of sourcing the script */
export async function completeInZsh(
  program: string,
  { script, line, cwd }: Asked,
  folder = '',
): Promise<readonly string[]> {
  const source = folder === '' ? script : '';
  const args = ['-f', join(__dirname, 'complete.zsh'), folder, source, line];
  const { stdout } = await runProgram(program, args, {
    cwd,
    env: { ...environmentOf(cwd), TERM: 'dumb', ZSH_PROGRAM: program },
  });
  const offered = /<<\r?\n([^]*?)>>/.exec(stdout)?.[1];
  if (offered === undefined) throw new Error(`zsh did not complete "${line}":\n${stdout}`);
  return linesOf(offered);
}

/** @param before lines that a person had typed, in a fish with all that it brings for other programs; without it there is nothing else */
export async function completeInFish(
  program: string,
  { script, line, cwd }: Asked,
  before = '',
): Promise<readonly string[]> {
  const command = `${before}\nsource "$argv[1]"; complete -C "$argv[2]"`;
  const args = [...(before === '' ? ['--no-config'] : []), '-c', command, script, line];
  const offered = quietly(await runProgram(program, args, { cwd, env: environmentOf(cwd) }));
  return offered.map((each) => each.split('\t')[0] ?? '');
}

/** What a shell prints besides would stand in the middle of the line that a person types. */
function quietly({ stdout, stderr }: Ran): readonly string[] {
  if (stderr !== '') throw new Error(`Completion printed:\n${stderr}`);
  return linesOf(stdout);
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((each) => each !== '')
    .toSorted();
}
