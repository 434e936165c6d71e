import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessEnv } from '@sluice/config';
import { listens } from '../../harness/free-port-base';

/** The program, where a shell or Debian's package has it; undefined when it is not installed. */
export function findHaproxy(): string | undefined {
  const folders = [...(readProcessEnv()['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, 'haproxy')).find((file) => existsSync(file));
}

export interface Router {
  /** Reads the files again, as `systemctl reload haproxy` does: a new process takes over the sockets, and the old one ends its requests. */
  reload(): Promise<void>;
  stop(): Promise<void>;
}

/** HAProxy with the files of this folder. */
export async function startRouter(program: string, folder: string, port: number): Promise<Router> {
  const config = join(folder, 'haproxy.cfg');
  execFileSync(program, ['-c', '-q', '-f', config], { stdio: 'pipe' });
  const child = spawn(program, ['-W', '-f', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const exited = once(child, 'exit');
  const isUp = await Promise.race([listens(port), exited.then(() => false)]);
  if (!isUp) throw new Error(`HAProxy did not start: ${log}`);
  return {
    reload: async () => {
      const before = log.length;
      child.kill('SIGUSR2');
      // Of the master process, once its new worker serves.
      while (!/Loading success/.test(log.slice(before))) await sleep(20);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}
