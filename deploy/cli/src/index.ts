#!/usr/bin/env node
import type { Command, CommanderError } from 'commander';
import { exitCodes, explainFailure, isUsageError, CommandFailure } from './failure';
import { plain } from './output/print';
import { createProgram } from './program';

async function main(): Promise<number> {
  let code: number = exitCodes.done;
  const program = createProgram((ended) => (code = ended));
  const wantsJson = process.argv.includes('--json');
  try {
    // Bytes that are no UTF-8 arrive as U+FFFD: two names would become one.
    const broken = process.argv.find((argument) => argument.includes('\uFFFD'));
    if (broken !== undefined) throw new CommandFailure(`The argument "${broken}" is not valid UTF-8.`, exitCodes.usage);
    await program.parseAsync(process.argv);
    return code;
  } catch (error) {
    return await say(isUsageError(error) ? await usageFailure(error, program) : error, wantsJson);
  }
}

async function say(error: unknown, wantsJson: boolean): Promise<number> {
  if (typeof error === 'number') return error;
  const { text, exitCode } = await explainFailure(error, wantsJson);
  process.stderr.write(`${text}\n`);
  return exitCode;
}

/** Help and version are not failures; help for a missing command is wrong usage, and needs no further message. */
async function usageFailure(error: CommanderError, program: Command): Promise<CommandFailure | number> {
  if (error.exitCode === 0) return exitCodes.done;
  const { describeUsageError } = await import('./usage-error.js');
  const text = await describeUsageError(error, program, process.argv);
  return text === undefined ? exitCodes.usage : new CommandFailure(text, exitCodes.usage);
}

// Who reads only the first lines, as head does, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

async function runAsProgram(): Promise<void> {
  try {
    process.exitCode = await main();
  } catch (error) {
    // A defect of ours is one line as well.
    process.stderr.write(`sluice: ${plain(error instanceof Error ? error.message : String(error))}\n`);
    process.exitCode = exitCodes.failed;
  }
}

void runAsProgram();
