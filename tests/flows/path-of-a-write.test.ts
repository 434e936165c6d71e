import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCustomer, type Customer } from '../harness/customer';
import { startStack, type OwnStack } from '../harness/stack';
import { watchExecuted, type ExecutedFiles } from './path/executed-files';

const processes = ['write-gateway', 'batcher', 'executor'] as const;
type Process = (typeof processes)[number];

/** Long enough for each timer of an idle system to have fired. */
const idleMs = 12_000;

let stack: OwnStack;
let customer: Customer;
const watches = new Map<Process, ExecutedFiles>();
const idle = new Map<Process, Set<string>>();
let written = 0;

beforeAll(async () => {
  const inspected = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };
  const envOf = Object.fromEntries(processes.map((name) => [name, inspected]));
  stack = await startStack({ envOf });
  customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  // Warm: what only a first write does is no part of the path.
  for (let time = 0; time < 2; time += 1) for (const kind of Object.keys(kinds) as Kind[]) await write(kind);
  for (const name of processes) watches.set(name, await watchExecuted(join(stack.logDir, `${name}.log`)));
  await take();
  await sleep(idleMs);
  for (const [name, files] of await take()) idle.set(name, files);
});
afterAll(async () => {
  for (const watch of watches.values()) watch.close();
  await stack.stop();
});

/** With how many files each ran on 2026-11-28. */
const kinds = {
  'an accept': { body: { mode: 'asynchronous' }, in: ['write-gateway'], files: 45 },
  'an auto-batched create, accept to settled': {
    body: { mode: 'asynchronous', autoBatchPolicy: { maxDelayMinutes: 1 } },
    in: processes,
    files: 98,
  },
  'a synchronous write': { body: { mode: 'synchronous' }, in: ['write-gateway'], files: 73 },
} as const;
type Kind = keyof typeof kinds;

/** One create, to its end. */
async function write(kind: Kind): Promise<void> {
  const email = `path-${(written += 1)}@example.com`;
  const { body, status } = await customer.write('contacts', { type: 'create', record: { email }, ...kinds[kind].body });
  if (status !== 200) throw new Error(`${kind}: ${status} ${JSON.stringify(body)}`);
  if (kind !== 'a synchronous write') await customer.ended(body.operationId);
}

async function take(): Promise<Map<Process, Set<string>>> {
  const taken = new Map<Process, Set<string>>();
  for (const [name, watch] of watches) taken.set(name, await watch.take());
  return taken;
}

// How many files a reader opens who follows one write (docs/contributing/conventions.md, section 3), less what an idle system runs. It is printed;
// a few more are no fault, a third more is another design.
const names = Object.keys(kinds) as Kind[];
it.each(names)('%s runs through about as many files as it did', async (kind) => {
  await take();
  await write(kind);
  const ran = await take();
  const files = kinds[kind].in.flatMap((name) =>
    [...(ran.get(name) ?? [])].filter((file) => !idle.get(name)?.has(file)),
  );
  const path = [...new Set(files)].toSorted((a, b) => a.localeCompare(b));
  process.stdout.write(`${kind}: ${path.length} files\n${path.map((file) => `  ${file}\n`).join('')}`);
  expect(path.length).toBeGreaterThan(10);
  expect(path.length).toBeLessThanOrEqual(1.3 * kinds[kind].files);
});
