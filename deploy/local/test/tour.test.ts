import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeDataDir, startLauncher, type Launcher } from './launcher';

/** Below the range from which the native starter takes its ports. */
const portBase = 18_000;
const sandboxUrl = `http://127.0.0.1:${portBase + 600}`;

const dataDir = makeDataDir();
let launcher: Launcher | undefined;
afterAll(async () => {
  launcher?.kill('SIGTERM');
  await launcher?.exit();
  dataDir.remove();
});

/** The CRM refuses every single create, from outside, as a real one might. */
async function breakSynchronousCreates(): Promise<void> {
  const body = {
    match: { method: 'POST', path: '^/crm/v3/objects/contacts$' },
    times: 0,
    action: { kind: 'status', status: 403 },
  };
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  for (const giveUpAt = Date.now() + 60_000; Date.now() < giveUpAt; await sleep(20)) {
    const reply = await fetch(`${sandboxUrl}/_sandbox/faults`, request).catch(() => undefined);
    if (reply?.status === 201) return;
  }
  throw new Error(`the sandbox did not come up:\n${launcher?.output()}`);
}

function listen(port: number): Promise<() => Promise<void>> {
  const server = createServer();
  const close = () => new Promise<void>((resolve) => server.close(() => resolve()));
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(close)));
}

// A tour that cannot fail would prove nothing.
it('ends with 1 when a step sees something else than it should, and leaves nothing running', async () => {
  launcher = startLauncher({ args: ['start', '--once'], dataDir: dataDir.path, portBase });
  await breakSynchronousCreates();
  expect(await launcher.exit()).toBe(1);
  const output = launcher.output();
  expect(output).toMatch(/^footprint: embedded, no Kafka/);
  expect(output).toMatch(/ 2 {2}250 auto-batched creates +ok/);
  expect(output).toMatch(/ 3 {2}synchronous create +FAILED +A synchronous create should answer 200, and answered 422/);
  expect(output).toContain('postgres: stopped');
  await expect(fetch(sandboxUrl)).rejects.toThrow('fetch failed');
  const demoFile = join(dataDir.path, 'demo.json');
  expect(statSync(demoFile).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(demoFile, 'utf8'))).toEqual({
    baseUrl: `http://127.0.0.1:${portBase + 100}/v1`,
    searchUrl: `http://127.0.0.1:${portBase + 200}/v1`,
    writeUrl: `http://127.0.0.1:${portBase + 300}/v1`,
    sandboxUrl,
    adminKey: expect.any(String) as string,
    project: { id: expect.any(String) as string, name: 'demo' },
    apiKey: expect.stringMatching(/^sk_/) as string,
    integrations: ['hubspot', 'salesforce'].map((provider) => ({
      provider,
      id: expect.any(String) as string,
      name: `${provider}-crm`,
      groupRef: 'demo-group',
      installationId: expect.any(String) as string,
      connectionId: expect.any(String) as string,
    })),
  });
});

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
