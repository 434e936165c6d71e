import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isReplaced, takeOver, untilGivenBack } from './replacement';
import { recordProcess } from './run-record';

let folder: string;
const started: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-replacement-'));
});
afterEach(async () => {
  for (const child of started.splice(0)) await kill(child);
  rmSync(folder, { recursive: true, force: true });
});

/** A process that is there, as a launcher or a service; it ends by itself within a minute. */
async function somebody(): Promise<ChildProcess & { readonly pid: number }> {
  const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000); process.stdout.write("ready")'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  await once(child.stdout, 'data');
  return child as ChildProcess & { readonly pid: number };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** What the launcher of the folder waits for, and whether it is over. */
function awaited(isWanted = () => true) {
  const state = { isOver: false };
  const givenBack = untilGivenBack(folder, 'executor', isWanted).finally(() => (state.isOver = true));
  return { state, givenBack };
}

const longerThanAPoll = () => sleep(600);

it('nobody replaces a service that just ended', async () => {
  expect(isReplaced(folder, 'executor')).toBe(false);
  takeOver(folder, 'batcher');
  expect(isReplaced(folder, 'executor')).toBe(false);
});

it('is given back when the other launcher releases it, and its process has gone', async () => {
  const release = takeOver(folder, 'executor');
  expect(isReplaced(folder, 'executor')).toBe(true);
  const service = await somebody();
  recordProcess(folder, 'executor', service.pid);
  const { state, givenBack } = awaited();
  await longerThanAPoll();
  release();
  await longerThanAPoll();
  expect(state.isOver).toBe(false);
  await kill(service);
  expect(await givenBack).toBe(true);
});

it('is given back, too, when the other launcher was killed', async () => {
  const launcher = await somebody();
  takeOver(folder, 'executor', launcher.pid);
  const { state, givenBack } = awaited();
  await longerThanAPoll();
  expect(state.isOver).toBe(false);
  await kill(launcher);
  expect(await givenBack).toBe(true);
});

it('stays with the second of two that took it over', async () => {
  const [first, second] = [await somebody(), await somebody()];
  const releaseFirst = takeOver(folder, 'executor', first.pid);
  takeOver(folder, 'executor', second.pid);
  releaseFirst();
  expect(isReplaced(folder, 'executor')).toBe(true);
  await kill(second);
  expect(isReplaced(folder, 'executor')).toBe(false);
});

it('is not waited for by a launcher that stops', async () => {
  takeOver(folder, 'executor');
  let isWanted = true;
  const { givenBack } = awaited(() => isWanted);
  isWanted = false;
  expect(await givenBack).toBe(false);
});
