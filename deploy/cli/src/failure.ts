import type { CommanderError } from 'commander';
import { jsonOf, plain } from './output/print';

/** What the command line itself refuses, in one line; or all problems of a file, each in a line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly lines: readonly string[];

  /** @param exitCode see `exitCodes` */
  constructor(
    message: string | readonly string[],
    readonly exitCode: number = exitCodes.failed,
  ) {
    super(typeof message === 'string' ? message : message.join('\n'));
    this.lines = typeof message === 'string' ? [message] : message;
  }
}

/** What a command's exit code means to a script. */
export const exitCodes = {
  done: 0,
  /** Refused, not reached, not found, malformed. */
  failed: 1,
  /** The command line itself is wrong: an unknown command or option, a missing argument. */
  usage: 2,
  /** `op watch`: the operation ended as failure. */
  operationFailed: 3,
  /** `op watch --timeout`: it is still in progress. */
  stillRunning: 4,
} as const;

/** Commander has printed it already, and help is not a failure. */
export function isUsageError(error: unknown): error is CommanderError {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('commander.');
}

/** One clear line, of a file one for each problem, or with `--json` one document; never a stack. */
export async function explainFailure(
  error: unknown,
  wantsJson: boolean,
): Promise<{ readonly text: string; readonly exitCode: number }> {
  const exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
  const texts = await textsOf(error);
  if (wantsJson) return { text: jsonOf({ error: texts }), exitCode };
  if (error instanceof CommandFailure) return { text: error.lines.map(lineOf).join('\n'), exitCode };
  const request = texts.requestId === undefined ? '' : ` [request ${texts.requestId}]`;
  const sentence = [texts.message, texts.remedy].filter((part) => part !== undefined).join(' ');
  return { text: lineOf(`${sentence}${request}`), exitCode };
}

const lineOf = (sentence: string) => plain(`sluice: ${sentence.replaceAll(/\s*\n\s*/g, ' ')}`);

interface ErrorTexts {
  readonly message: string;
  readonly code?: string | undefined;
  readonly remedy?: string | undefined;
  readonly requestId?: string | undefined;
}

async function textsOf(error: unknown): Promise<ErrorTexts> {
  const { SluiceApiError, SluiceConnectionError } = await import('@sluice/client');
  if (error instanceof SluiceApiError) {
    const { status, code = `status-${status}`, detail: message, remedy, requestId } = error;
    return { message, code, remedy, requestId };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof SluiceConnectionError)) return { message };
  return { code: 'unreachable', message: `${message}. Is the address right, and the server up?` };
}
