import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withStackLock } from './folder-lock';

describe('withStackLock', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const lock = <T>(work: () => Promise<T>) => withStackLock(folder, () => undefined, work);

  it('lets one in at a time', async () => {
    let inside = 0;
    const work = async () => {
      inside += 1;
      await sleep(20);
      const seen = inside;
      inside -= 1;
      return seen;
    };
    expect(await Promise.all([1, 2, 3].map(() => lock(work)))).toEqual([1, 1, 1]);
  });

  it('keeps another process out until it ends, however it ends', async () => {
    const script = `
      const { withStackLock } = require(${JSON.stringify(join(__dirname, '../dist/folder-lock.js'))});
      withStackLock(${JSON.stringify(folder)}, () => {}, () => new Promise(() => console.log('in')));
      setInterval(() => {}, 60_000);`;
    const holder = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(holder.stdout, 'data');
    let isIn = false;
    const entered = lock(async () => (isIn = true));
    await sleep(300);
    expect(isIn).toBe(false);
    holder.kill('SIGKILL');
    expect(await entered).toBe(true);
  });

  it('lets the next one in after a failure', async () => {
    const work = () => Promise.reject(new Error('no'));
    await expect(lock(work)).rejects.toThrow('no');
    await expect(lock(work)).rejects.toThrow('no');
  });
});
