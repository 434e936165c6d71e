import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withStackLock } from './stack-lock';

describe('withStackLock', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('lets one in at a time', async () => {
    let inside = 0;
    const work = async () => {
      inside += 1;
      const most = inside;
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      return most;
    };
    const seen = await Promise.all([1, 2, 3].map(() => withStackLock(folder, () => undefined, work)));
    expect(seen).toEqual([1, 1, 1]);
  });

  it('takes over from a process that has died', async () => {
    writeFileSync(join(folder, 'stack.lock'), JSON.stringify({ pid: process.pid, startedAt: 'before the restart' }));
    await expect(
      withStackLock(
        folder,
        () => undefined,
        async () => 'done',
      ),
    ).resolves.toBe('done');
  });

  it('is given back when the work fails', async () => {
    const work = () => Promise.reject(new Error('no'));
    await expect(withStackLock(folder, () => undefined, work)).rejects.toThrow('no');
    expect(existsSync(join(folder, 'stack.lock'))).toBe(false);
  });
});
