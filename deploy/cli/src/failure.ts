import type { SluiceApiError } from '@sluice/client';
import type { CommanderError } from 'commander';
import { jsonOf, plain } from './output/print';

/** What the command line itself refuses, in one line. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';

  /** @param exitCode see `exitCodes` */
  constructor(
    message: string,
    readonly exitCode: number = exitCodes.failed,
  ) {
    super(message);
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

interface Explained {
  readonly text: string;
  readonly exitCode: number;
}

/** One clear line, or with `--json` one document; never a stack. */
export async function explainFailure(error: unknown, wantsJson: boolean): Promise<Explained> {
  const { SluiceApiError, SluiceConnectionError } = await import('@sluice/client');
  if (error instanceof CommandFailure) return shown({ message: error.message }, wantsJson, error.exitCode);
  if (error instanceof SluiceApiError) return shown(ofApi(error), wantsJson);
  if (error instanceof SluiceConnectionError) {
    return shown(
      { code: 'unreachable', message: `${error.message}. Is the address right, and the server up?` },
      wantsJson,
    );
  }
  return shown({ message: error instanceof Error ? error.message : String(error) }, wantsJson);
}

interface ErrorTexts {
  readonly message: string;
  readonly code?: string | undefined;
  readonly remedy?: string | undefined;
  readonly requestId?: string | undefined;
}

function ofApi({ status, code, detail, remedy, requestId }: SluiceApiError): ErrorTexts {
  return { message: detail, code: code ?? `status-${status}`, remedy, requestId };
}

function shown(texts: ErrorTexts, wantsJson: boolean, exitCode: number = exitCodes.failed): Explained {
  if (wantsJson) return { text: jsonOf({ error: texts }), exitCode };
  const request = texts.requestId === undefined ? '' : ` [request ${texts.requestId}]`;
  const sentence = [texts.message, texts.remedy].filter((part) => part !== undefined).join(' ');
  return { text: plain(`sluice: ${sentence.replaceAll(/\s*\n\s*/g, ' ')}${request}`), exitCode };
}
