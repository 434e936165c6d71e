import { setTimeout as sleep } from 'node:timers/promises';
import { engine, imageOf, tryEngine } from './engine';

export interface Started {
  readonly name: string;
  /** From the start of the process to the first answer of /readyz that says yes, in milliseconds. */
  readonly readyMs: number;
}

/** As a careful operator runs them: nothing to write to, nothing to gain. */
const hardened = ['--read-only', '--cap-drop', 'all', '--security-opt', 'no-new-privileges', '--network', 'host'];
const readyWithinMs = 300_000;
const pollMs = 20;
let made = 0;

/** Starts a service's container and waits until it is ready. @param options of `run`, besides those that all have */
export async function startContainer(
  target: string,
  env: Readonly<Record<string, string>>,
  options: readonly string[] = [],
): Promise<Started> {
  const name = `sluice-images-${process.pid}-${(made += 1)}`;
  const settings = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  engine('run', '--detach', '--name', name, ...hardened, ...options, ...settings, imageOf(target));
  const url = `http://127.0.0.1:${env['SLUICE_PORT']}/readyz`;
  const begunAtMs = performance.now();
  while (!(await answers(url))) {
    if (performance.now() - begunAtMs > readyWithinMs) throw new Error(`${target} is not ready: ${logsOf(name)}`);
    await sleep(pollMs);
  }
  const readyAtMs = Date.now();
  return { name, readyMs: readyAtMs - Date.parse(engineMoment(inspect(name, '{{.State.StartedAt}}'))) };
}

/** Memory that the process of a container holds, in MB (10^6 bytes). */
export function rssOf(name: string): number {
  const status = engine('exec', name, 'cat', '/proc/1/status');
  return Math.round((Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024) / 1e6);
}

/** SIGTERM, and what became of it. */
export function stopContainer(name: string): { readonly exitCode: number; readonly tookMs: number } {
  const begunAtMs = performance.now();
  engine('stop', '--time', '20', name);
  const tookMs = Math.round(performance.now() - begunAtMs);
  return { exitCode: Number(inspect(name, '{{.State.ExitCode}}')), tookMs };
}

export function removeContainers(): void {
  for (let at = 1; at <= made; at += 1) tryEngine(['rm', '--force', '--volumes', `sluice-images-${process.pid}-${at}`]);
}

export function logsOf(name: string): string {
  const { stdout, stderr } = tryEngine(['logs', name]);
  return `${stdout}${stderr}`;
}

function inspect(name: string, format: string): string {
  return engine('container', 'inspect', '--format', format, name);
}

/** Docker's moments are ISO 8601; podman's are `2026-11-21 20:50:01.123456789 +0000 UTC`. */
function engineMoment(text: string): string {
  const [, day, time, offset] = /^(\S+) (\d\S+) ([+-]\d{4})/.exec(text) ?? [];
  return day === undefined ? text : `${day}T${time?.slice(0, 12)}${offset?.slice(0, 3)}:${offset?.slice(3)}`;
}

async function answers(url: string): Promise<boolean> {
  return await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
    ({ ok }) => ok,
    () => false,
  );
}
