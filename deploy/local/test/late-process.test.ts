import { setTimeout as sleep } from 'node:timers/promises';
import { createServiceProcesses } from '@sluice/local';
import { makeDataDir } from './launcher';

const portBase = 18_850;
const goneMs = 60_000;
const dataDir = makeDataDir();
afterAll(() => dataDir.remove());

// Observed on a slow machine: an abandoned process became ready after all, on the port of its replacement.
it('leaves no process behind that was not ready in time', async () => {
  const pids: number[] = [];
  const onSpawn = (_name: string, pid: number): void => void pids.push(pid);
  // No Node starts in a millisecond.
  const processes = createServiceProcesses({ portBase, env: {}, logDir: dataDir.path, readyMs: 1, onSpawn });
  await expect(processes.start('sandbox')).rejects.toThrow('sandbox did not become ready');
  expect(pids).toHaveLength(1);
  for (const giveUpAt = Date.now() + goneMs; pids.some(isThere) && Date.now() < giveUpAt; await sleep(20));
  expect(pids.filter(isThere)).toEqual([]);
}, 120_000);

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
