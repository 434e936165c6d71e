import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { endProcessOf } from './dev-command';

// The compiler does so while it compiles: the launcher stayed up with it for half a minute.
it('a process that does not end on SIGTERM is gone in time', async () => {
  const deaf = "process.on('SIGTERM', () => undefined); setInterval(() => undefined, 1000); console.log('up')";
  const child = spawn(process.execPath, ['-e', deaf], { stdio: ['ignore', 'pipe', 'ignore'] });
  await once(child.stdout, 'data');
  await endProcessOf(child, 100);
  expect(child.signalCode).toBe('SIGKILL');
  await endProcessOf(child, 100);
});

it('a process that ends on SIGTERM is not killed', async () => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  await endProcessOf(child, 60_000);
  expect(child.signalCode).toBe('SIGTERM');
});
