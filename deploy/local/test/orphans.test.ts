import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readProcessEnv } from '@sluice/config';
import { makeDataDir } from './launcher';

const portBase = 18_750;
const sandboxUrl = `http://127.0.0.1:${portBase + 600}`;
const dataDir = makeDataDir();
afterAll(() => dataDir.remove());

// A launcher killed with -9 cannot clean up, and its services would keep the ports.
it('ends the service processes of a launcher that was killed', async () => {
  const options = JSON.stringify({ portBase, env: {}, logDir: dataDir.path });
  const program = `
    const { createServiceProcesses } = require(${JSON.stringify(join(__dirname, '../dist/index.js'))});
    createServiceProcesses(${options}).start('sandbox').then(() => console.log('up'));`;
  const launcher = spawn(process.execPath, ['-e', program], {
    env: readProcessEnv(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(launcher.stdout, 'data');
  expect((await fetch(`${sandboxUrl}/readyz`)).status).toBe(200);
  launcher.kill('SIGKILL');
  let isUp = true;
  for (const giveUpAt = Date.now() + 60_000; isUp && Date.now() < giveUpAt; await sleep(50)) {
    isUp = await fetch(`${sandboxUrl}/readyz`).then(
      () => true,
      () => false,
    );
  }
  expect(isUp).toBe(false);
}, 180_000);
