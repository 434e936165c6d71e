import { spawn, type SpawnOptions } from 'node:child_process';

/** How a command ended. `code` is undefined when it could not be started or was ended after its time. */
export interface CommandResult {
  readonly code: number | undefined;
  /** Standard output and standard error as they came, at most the last 64 KB. */
  readonly output: string;
}

/** Runs a command to its end; never throws. What outlives `withinMs` milliseconds is killed. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { readonly withinMs: number },
): Promise<CommandResult> {
  const { withinMs, ...spawnOptions } = options;
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(program, args, { ...spawnOptions, stdio: ['ignore', 'pipe', 'pipe'], timeout: withinMs });
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-65_536);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', (error) => resolve({ code: undefined, output: output + error.message }));
    child.once('close', (code) => resolve({ code: code ?? undefined, output }));
  });
}
