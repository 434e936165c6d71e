import { execFileSync, spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, closeSync, constants, existsSync, openSync, readFileSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DependencyError } from '@sluice/errors';

/**
 * Asks until the answer is yes or the time is over.
 * @returns whether the condition held within `withinMs` milliseconds
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  options: { readonly withinMs: number; readonly everyMs?: number },
): Promise<boolean> {
  const giveUpAt = performance.now() + options.withinMs;
  for (;;) {
    if (await condition()) return true;
    if (performance.now() >= giveUpAt) return false;
    await delay(options.everyMs ?? 50);
  }
}

/** One process. The number alone is not enough: it is given again, also after a restart of the machine. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in the words of the system: only ever compared. */
  readonly startedAt: string;
}

/** The process that has this number now; undefined when there is none, or one that has died and is not yet reaped. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startOnLinux(pid) : startElsewhere(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether this very process still runs. */
export function isRunning(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt;
}

/** The command a process was started with; empty when it cannot be read. */
export function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * Ends this very process: each signal in turn, then SIGKILL. Does nothing when it is gone already.
 * @param patienceMs how long each signal is given to work, in milliseconds
 */
export async function endProcess(identity: ProcessIdentity, signals: readonly NodeJS.Signals[], patienceMs: number) {
  for (const signal of [...signals, 'SIGKILL' as const]) {
    if (!isRunning(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch {
      return; // It ended between the check and the signal.
    }
    if (await waitUntil(() => !isRunning(identity), { withinMs: patienceMs, everyMs: 20 })) return;
  }
}

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; what follows it is state and, 19 fields on, the start in ticks since boot.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startElsewhere(pid: number): string | undefined {
  try {
    const answer = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return answer === '' || answer.startsWith('Z') ? undefined : answer.replace(/^\S+\s+/, '');
  } catch {
    return undefined;
  }
}

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

/** A log is begun anew when it has grown past this. */
const logBytesMax = 5 * 1024 * 1024;

export interface DetachedProgram {
  readonly program: string;
  /** The name that the program is started under (`argv[0]`). @default its path */
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
    if (identity !== undefined) {
      const ending = new Promise<string>((resolve) => {
        child.once('exit', (code, signal) => resolve(describeEnding(code, signal)));
      });
      endings.set(nameOf(identity), ending);
      return identity;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'no reason is given';
    throw unavailable(`${program} cannot be started: ${reason}`, { cause });
  } finally {
    closeSync(log);
  }
  throw unavailable(`${program} ended at once.\n${logTail(logFile)}`);
}

/** How the programs that this process started end. */
const endings = new Map<string, Promise<string>>();
const nameOf = ({ pid, startedAt }: ProcessIdentity): string => `${pid}/${startedAt}`;

/** How a process that is gone ended, in words. Of one that another process started nothing is known. */
export async function endingOf(identity: ProcessIdentity): Promise<string> {
  return (await endings.get(nameOf(identity))) ?? 'an earlier run started it, so its exit code is not known';
}

/** `exit code 1`, `SIGKILL`. */
export function describeEnding(code: number | null, signal: NodeJS.Signals | null): string {
  return signal ?? `exit code ${code}`;
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

/** The first executable file of this name on the PATH of `env`. */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const candidate = join(folder, name);
    if (folder !== '' && isExecutable(candidate)) return candidate;
  }
  return undefined;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The error for a thing that cannot be started or used. @param more remedy and cause */
export function unavailable(detail: string, more: { readonly remedy?: string; readonly cause?: unknown } = {}) {
  return new DependencyError({ code: 'service.unavailable', detail, ...more });
}
