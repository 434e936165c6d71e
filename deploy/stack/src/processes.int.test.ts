import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { commandLine, endProcess, identify, isRunning } from './processes';

/** Ends by itself within a minute, whatever the test does. */
function sleeper(script = 'setTimeout(() => {}, 60_000); process.stdout.write("ready")') {
  return spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
}

describe('a process', () => {
  it('is known by its number and its start', async () => {
    const self = identify(process.pid);
    expect(self).toEqual({ pid: process.pid, startedAt: expect.stringMatching(/\d/) });
    expect(self !== undefined && isRunning(self)).toBe(true);
  });

  it('is another one when the number was given again', () => {
    expect(isRunning({ pid: process.pid, startedAt: 'long ago' })).toBe(false);
  });

  it('shows the command it was started with', async () => {
    const child = sleeper();
    await once(child.stdout, 'data');
    expect(commandLine(child.pid ?? 0)).toContain('60_000');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(commandLine(child.pid ?? 0)).toBe('');
  });
});

describe('endProcess', () => {
  it('ends one that ignores the gentle signal', async () => {
    const child = sleeper(
      'process.on("SIGTERM", () => {}); setTimeout(() => {}, 60_000); process.stdout.write("ready")',
    );
    await once(child.stdout, 'data');
    const identity = identify(child.pid ?? 0);
    expect(identity).toBeDefined();
    if (identity !== undefined) await endProcess(identity, ['SIGTERM'], 100);
    expect(identify(child.pid ?? 0)).toBeUndefined();
  });

  it('leaves a process alone that only has the same number', async () => {
    const child = sleeper();
    await once(child.stdout, 'data');
    await endProcess({ pid: child.pid ?? 0, startedAt: 'long ago' }, ['SIGTERM'], 100);
    expect(identify(child.pid ?? 0)).toBeDefined();
    child.kill('SIGKILL');
    await once(child, 'close');
  });
});
