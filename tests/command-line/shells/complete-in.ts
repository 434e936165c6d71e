import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { runProgram } from '../run-sluice';

/** Where completion is asked for. */
export interface Asked {
  /** The script that `sluice completion` printed. */
  readonly script: string;
  /** What is typed before Tab. */
  readonly line: string;
  /** With the files that may be named. */
  readonly cwd: string;
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
  const { stdout } = await runProgram(program, [join(__dirname, 'complete.bash'), script, ...words], { cwd });
  return linesOf(stdout);
};

/** Types into a zsh with a terminal. @param folder where `_sluice` was kept, in place of sourcing the script */
export async function completeInZsh(
  program: string,
  { script, line, cwd }: Asked,
  folder = '',
): Promise<readonly string[]> {
  const source = folder === '' ? script : '';
  const args = ['-f', join(__dirname, 'complete.zsh'), folder, source, line];
  const { stdout } = await runProgram(program, args, { cwd, env: { HOME: cwd, TERM: 'dumb', ZSH_PROGRAM: program } });
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
  const { stdout } = await runProgram(program, args, { cwd, env: { HOME: cwd } });
  return linesOf(stdout).map((each) => each.split('\t')[0] ?? '');
}

function linesOf(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((each) => each !== '')
    .toSorted();
}
