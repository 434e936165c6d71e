import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Demo } from '../src/demo/demo';
import { makeDataDir, startLauncher, type Launcher } from './launcher';

const scratch = makeDataDir();
const cold = makeDataDir();
/** Below the range from which the native starter takes its ports. */
const portBase = 18_000;
const sandboxUrl = `http://127.0.0.1:${portBase + 600}`;
const launchers: Launcher[] = [];
// One that a time limit left behind would keep the ports and the data of the next.
afterEach(async () => {
  for (const launcher of launchers.splice(0)) {
    launcher.kill('SIGTERM');
    await launcher.exit();
  }
});

afterAll(() => [scratch, cold].forEach((folder) => folder.remove()));

async function printed(launcher: Launcher, text: string): Promise<void> {
  for (const giveUpAt = Date.now() + 120_000; !launcher.output().includes(text); await sleep(50)) {
    if (Date.now() > giveUpAt) throw new Error(`it did not print "${text}":\n${launcher.output()}`);
  }
}

// The two commands of the README, whole, and two starts at once: the real minute is waited, and a later start finds the data of the first.
it('npm start -- --once, embedded and distributed: 250 auto-batched records leave in 3 calls, and the tour ends with 0', async () => {
  const start = (port: number, ...words: readonly string[]) =>
    startLauncher({ args: ['start', ...words, '--once'], dataDir: scratch.path, portBase: port });
  const embedded = (launchers[0] = start(19_000));
  await printed(embedded, 'postgres: started');
  const distributed = (launchers[1] = start(19_700, '--distributed'));
  for (const one of [embedded, distributed]) {
    const code = await one.exit();
    expect({ code, output: one.output() }).toMatchObject({ code: 0 });
    expect(one.output()).toMatch(/the CRM got 3 calls of 100, 100, 50/);
    expect(one.output()).toMatch(/The tour: 9 steps, all as they should be/);
  }
  expect(distributed.output()).toMatch(/ is in use by "npm start" \(process \d+\), so the data goes beside it/);
}, 900_000);

// Whoever starts it every morning would find 300 more records a day in the demo.
it('a later start leaves the tour out, and adds no record', async () => {
  const startedAt = new Date();
  const launcher = startLauncher({ args: ['start'], dataDir: scratch.path, portBase: 19_000 });
  launchers.push(launcher);
  await printed(launcher, 'To paste:');
  expect(launcher.output()).toContain('Again: npm start -- --tour');
  expect(launcher.output()).not.toContain('250 auto-batched creates');
  const { baseUrl, apiKey, project } = JSON.parse(readFileSync(join(scratch.path, 'demo.json'), 'utf8')) as Demo;
  const url = `${baseUrl}/projects/${project.id}/operations?since=${startedAt.toISOString()}`;
  const reply = await fetch(url, { headers: { 'x-api-key': apiKey } });
  expect(await reply.json()).toMatchObject({ results: [] });
  launcher.kill('SIGTERM');
  expect(await launcher.exit()).toBe(0);
}, 300_000);

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
  throw new Error(`the sandbox did not come up:\n${launchers[0]?.output()}`);
}

it('ends with 1 when a step sees something else than it should, and leaves nothing running', async () => {
  const launcher = startLauncher({ args: ['start', '--once'], dataDir: cold.path, portBase });
  launchers.push(launcher);
  await breakSynchronousCreates();
  expect(await launcher.exit()).toBe(1);
  const output = launcher.output();
  expect(output).toMatch(/^footprint: embedded, no Kafka/);
  expect(output).toMatch(/ 2 {2}250 auto-batched creates +ok/);
  expect(output).toMatch(/ 4 {2}mapping and default +FAILED +A synchronous create should answer 200, and answered 422/);
  expect(output).toContain('postgres: stopped');
  await expect(fetch(sandboxUrl)).rejects.toThrow('fetch failed');
  const demoFile = join(cold.path, 'demo.json');
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
