import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { waitUntil } from './wait-until';

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
export async function endProcess(identity: ProcessIdentity, signals: NodeJS.Signals[], patienceMs: number) {
  for (const signal of [...signals, 'SIGKILL' as const]) {
    if (!isRunning(identity)) return;
    try {
      process.kill(identity.pid, signal);
    } catch {
      return; // It went between the look and the signal.
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
