import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tourOfRunning } from '@sluice/local';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';

// The minute of the last batch lasts ten seconds: more than 250 writes take, less than anybody waits.
let stack: EmbeddedStack;
const folder = mkdtempSync(join(tmpdir(), 'sluice-tour-'));
beforeAll(async () => {
  stack = await startEmbeddedStack({ timeScale: 6 });
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

async function walkTour(): Promise<{ isRight: boolean; output: string }> {
  const lines: string[] = [];
  const print = (line: string): void => void lines.push(line);
  const isRight = await tourOfRunning({ addresses: stack, adminKey: stack.adminKey, folder, print });
  return { isRight, output: lines.join('\n') };
}

it('walks every step, and the 250 auto-batched records leave in three calls', async () => {
  const { isRight, output } = await walkTour();
  expect({ isRight, output }).toMatchObject({ isRight: true });
  expect(output).toMatch(/the CRM got 3 calls of 100, 100, 50/);
  expect(output).toMatch(/The tour: 9 steps, all as they should be/);
});

// A tour that cannot fail would prove nothing.
it('ends at the first step that sees something else than it should', async () => {
  const fault = {
    match: { method: 'POST', path: '^/crm/v3/objects/contacts$' },
    times: 0,
    action: { kind: 'status', status: 403 },
  };
  const body = JSON.stringify(fault);
  const headers = { 'content-type': 'application/json' };
  expect((await fetch(`${stack.sandboxUrl}/_sandbox/faults`, { method: 'POST', headers, body })).status).toBe(201);
  const { isRight, output } = await walkTour();
  expect(isRight).toBe(false);
  expect(output).toMatch(/ 3 {2}partial failure +ok/);
  expect(output).toMatch(/ 4 {2}mapping and default +FAILED +A synchronous create should answer 200, and answered 422/);
  expect(output).toMatch(/The tour FAILED at step 4\.$/);
});
