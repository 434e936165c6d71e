import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

/** The binary that a person runs. */
export const sluicePath = resolve(__dirname, '../../deploy/cli/dist/index.js');

/** What a process left behind. */
export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
}

/** A program with this environment and no other. */
export async function runProgram(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { env = {}, stdin = '', cwd } = options;
  const child = spawn(program, [...args], { env: { PATH: '/usr/bin:/bin', ...env }, ...(cwd && { cwd }) });
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const ended = new Promise<number | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', done);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}

/** A person with a home of their own, where profiles are kept. */
export interface Person {
  readonly home: string;
  /** `sluice <args>`. */
  sluice(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** The same, which must succeed. @returns what it printed */
  run(...args: readonly string[]): Promise<string>;
  /** The same with `--json`. @returns the document */
  json<T>(...args: readonly string[]): Promise<T>;
}

export function createPerson(): Person {
  const home = mkdtempSync(join(tmpdir(), 'sluice-person-'));
  const sluice: Person['sluice'] = (args, { env, ...more } = {}) =>
    runProgram(process.execPath, [sluicePath, ...args], { cwd: home, ...more, env: { HOME: home, ...env } });
  const run: Person['run'] = async (...args) => {
    const { code, stdout, stderr } = await sluice(args);
    if (code !== 0) throw new Error(`sluice ${args.join(' ')} ended with ${code}: ${stderr}`);
    return stdout;
  };
  return { home, sluice, run, json: async (...args) => JSON.parse(await run(...args, '--json')) as never };
}
