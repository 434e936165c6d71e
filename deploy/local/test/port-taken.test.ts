import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { makeDataDir, startLauncher } from './launcher';

/** Below the range from which the native starter takes its ports. */
const portBase = 18_000;
const dataDir = makeDataDir();
afterAll(() => dataDir.remove());

function listen(port: number): Promise<() => Promise<void>> {
  const server = createServer();
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(close)));
}

it('names the port and SLUICE_PORT_BASE when a port is taken, before anything is started', async () => {
  const release = await listen(portBase + 300);
  const elsewhere = join(dataDir.path, 'elsewhere');
  try {
    const second = startLauncher({ args: ['start', '--once'], dataDir: elsewhere, portBase });
    expect(await second.exit()).toBe(1);
    expect(second.output()).toContain(`Port ${portBase + 300} (write-gateway) is in use`);
    expect(second.output()).toContain('SLUICE_PORT_BASE=');
    expect(existsSync(elsewhere)).toBe(false);
  } finally {
    await release();
  }
});
