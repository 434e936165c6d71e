import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Clock ticks a second in /proc. Linux has reported 100 on every architecture for decades. */
const ticksPerSecond = 100;
const bytesPerMegabyte = 1024 * 1024;

/**
 * CPU seconds of processes and of what they started, ended children included. Linux only: read from /proc.
 * @param pids roots; a process counts once
 */
export function cpuSeconds(pids: readonly number[]): number {
  const parents = readParents();
  const all = new Set<number>();
  const add = (pid: number): void => {
    if (all.has(pid)) return;
    all.add(pid);
    for (const [child, parent] of parents) if (parent === pid) add(child);
  };
  pids.forEach(add);
  return [...all].reduce((sum, pid) => sum + ticksOf(pid), 0) / ticksPerSecond;
}

/** Resident memory of one process in MB (2^20 bytes). */
export function residentMegabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kilobytes) * 1024) / bytesPerMegabyte;
}

/** The process that listens on a port of this machine: the oldest of those that hold the socket. */
export function listenerOf(port: number): number {
  const inode = inodeListeningOn(port);
  const holders = processIds().filter((pid) => holds(pid, inode));
  const [first] = holders.sort((a, b) => a - b);
  if (first === undefined) throw new Error(`nobody on this machine listens on port ${port}`);
  return first;
}

function inodeListeningOn(port: number): string {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  for (const table of ['tcp', 'tcp6']) {
    for (const line of readFileSync(`/proc/net/${table}`, 'utf8').split('\n')) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      // 0A: listening.
      if (local.endsWith(`:${hex}`) && state === '0A' && inode !== undefined) return inode;
    }
  }
  throw new Error(`nothing listens on port ${port}`);
}

function holds(pid: number, inode: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`);
  } catch {
    return false; // It is gone, or somebody else's.
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function readParents(): Map<number, number> {
  return new Map(processIds().map((pid) => [pid, Number(statOf(pid)[1] ?? 0)]));
}

/** Own time and that of ended children, user and system. */
function ticksOf(pid: number): number {
  return statOf(pid)
    .slice(11, 15)
    .reduce((sum, ticks) => sum + Number(ticks), 0);
}

/** Fields of /proc/PID/stat from the state on; none when the process is gone. */
function statOf(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}
