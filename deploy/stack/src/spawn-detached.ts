import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DependencyError } from '@sluice/errors';
import { identify, type ProcessIdentity } from './process-identity';

/** A log is begun anew when it has grown past this. */
const logBytesMax = 5 * 1024 * 1024;

export interface DetachedProgram {
  readonly program: string;
  /** The name the program is told it was called by. @default its path */
  readonly argv0?: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Where its output goes. */
  readonly logFile: string;
  /** Another user to run it as (root only). */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/**
 * Starts a program that outlives us: a session of its own (Ctrl-C does not reach it) and no pipe to us that could break.
 * @throws DependencyError when it cannot be started or is gone at once
 */
export async function spawnDetached(options: DetachedProgram): Promise<ProcessIdentity> {
  const { program, argv0, args, env, logFile, user } = options;
  const log = openSync(logFile, isTooLong(logFile) ? 'w' : 'a', 0o600);
  try {
    const child = spawn(program, args, {
      env,
      argv0: argv0 ?? program,
      // Not our own folder: another user may not read it, and it may be removed.
      cwd: dirname(logFile),
      detached: true,
      stdio: ['ignore', log, log],
      ...user,
    });
    await once(child, 'spawn');
    child.unref();
    const identity = child.pid === undefined ? undefined : identify(child.pid);
    if (identity !== undefined) return identity;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no reason is given';
    throw new DependencyError({
      code: 'service.unavailable',
      detail: `${program} cannot be started: ${reason}`,
      cause,
    });
  } finally {
    closeSync(log);
  }
  throw new DependencyError({ code: 'service.unavailable', detail: `${program} ended at once.\n${logTail(logFile)}` });
}

/** The last lines of a log, indented: what an error message shows. */
export function logTail(logFile: string, lines = 12): string {
  if (!existsSync(logFile)) return '';
  const tail = readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines);
  return [`${logFile} ends with:`, ...tail.map((line) => `  ${line}`)].join('\n');
}

function isTooLong(logFile: string): boolean {
  return existsSync(logFile) && statSync(logFile).size > logBytesMax;
}
