import { spawn, type ChildProcess } from 'node:child_process';
import { settings } from './run';

/** A way from this machine to a Service, on a free port of the loopback. */
export interface Forward {
  readonly url: string;
  close(): void;
}

const withinMs = 30_000;

export function portForward(service: string, port: number): Promise<Forward> {
  const args = ['--namespace', settings.namespace, 'port-forward', `service/${service}`, `:${port}`];
  const child: ChildProcess = spawn('kubectl', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  return new Promise((resolve, reject) => {
    let text = '';
    const timer = setTimeout(() => reject(new Error(`no way to ${service}: ${text}`)), withinMs);
    const read = (chunk: unknown): void => {
      text += String(chunk);
      const [, local] = /Forwarding from 127\.0\.0\.1:(\d+)/.exec(text) ?? [];
      if (local === undefined) return;
      clearTimeout(timer);
      resolve({ url: `http://127.0.0.1:${local}`, close: () => void child.kill() });
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
  });
}
