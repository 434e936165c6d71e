import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServiceProcesses } from '@sluice/local';
import { waitUntil } from '@sluice/stack';
import { createSupervisor } from '../src/supervisor';
import { makeDataDir, startLauncher, type Launcher } from './launcher';

/** Below the range from which the native starter takes its ports. */
const portBase = 17_000;
const dataDir = makeDataDir();
let launcher: Launcher;
afterAll(async () => {
  launcher.kill('SIGTERM');
  await launcher.exit();
});
afterAll(() => dataDir.remove());

/** Longest for a start on a busy machine, in milliseconds: Postgres replays its log, Kafka and the services load. */
const startMs = 300_000;

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  if (!(await waitUntil(condition, { withinMs: startMs })))
    throw new Error(`the launcher printed:\n${launcher.output()}`);
}
const printed = (text: string) => until(() => launcher.output().includes(text));

function stackPid(folder: string, name: string): number {
  const state = JSON.parse(readFileSync(join(folder, 'stack.json'), 'utf8')) as {
    services: Record<string, { runtime: { process: { pid: number } } }>;
  };
  return state.services[name]?.runtime.process.pid ?? 0;
}

async function killed(name: string, pid: number): Promise<void> {
  process.kill(pid, 'SIGKILL');
  await printed(`${name}: died (SIGKILL)`);
  await printed(`${name}: runs again`);
}

const isReady = async (distance: number): Promise<boolean> => {
  const reply = await fetch(`http://127.0.0.1:${portBase + distance}/readyz`).catch(() => undefined);
  return reply?.status === 200;
};

// The tour that runs meanwhile may fail: it prints so, and the launcher stays up.
it('embedded: a Postgres that dies is reported with its log, and comes back on its data', async () => {
  launcher = startLauncher({ args: ['start'], dataDir: dataDir.path, portBase });
  await printed('demo: project');
  await killed('postgres', stackPid(dataDir.path, 'postgres'));
  expect(launcher.output()).toMatch(/postgres: died \(SIGKILL\)\n\S+postgres\.log ends with:\n {2}/);
  await until(() => isReady(100));
  launcher.kill('SIGTERM');
  await launcher.exit();
  expect(launcher.output()).toContain('postgres: stopped');
  // What is stopped does not die.
  expect(launcher.output().match(/: died/g)).toHaveLength(1);
}, 600_000);

it('a service that dies is started again, and one that is stopped is not', async () => {
  const lines: string[] = [];
  const supervisor = createSupervisor((line) => void lines.push(line));
  const pids: number[] = [];
  const processes = createServiceProcesses({
    portBase: portBase + 800,
    env: {},
    logDir: dataDir.path,
    readyMs: startMs,
    onSpawn: (_name, pid) => void pids.push(pid),
    onDeath: (name, how, logTail) => {
      const restart = () => processes.start(name).then(() => true);
      void supervisor.report({ name, how, logTail, restart });
    },
  });
  await processes.start('sandbox');
  process.kill(pids[0] ?? 0, 'SIGKILL');
  expect(await waitUntil(() => lines.includes('sandbox: runs again'), { withinMs: startMs })).toBe(true);
  expect(lines[0]).toMatch(/^sandbox: died \(SIGKILL\)\n\S+sandbox\.log/);
  expect((await fetch(`${processes.url('sandbox')}/readyz`)).status).toBe(200);
  await processes.stop();
  expect(pids).toHaveLength(2);
  expect(lines).toHaveLength(3);
}, 900_000);
