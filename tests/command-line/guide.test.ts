import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createPerson, runProgram, sluicePath, type Person } from './run-sluice';

/**
 * The guide shows what the commands print. Every command of it is run, in order, by a shell, and its output compared but for ids, moments
 * and widths. `SLUICE_WRITE_GUIDE=1` writes what they print into the guide.
 */
const root = resolve(__dirname, '../..');
const guidePath = join(root, 'docs/guides/command-line.md');
const isWriting = readProcessEnv()['SLUICE_WRITE_GUIDE'] !== undefined;
const text = readFileSync(guidePath, 'utf8');

interface Shown {
  readonly command: string;
  readonly output: string;
}

const blocks = [...text.matchAll(/```console\n([^]*?)```/g)].map(([, body = '']) => readBlock(body));
const commands = blocks.flat();

let stack: EmbeddedStack;
let person: Person;
let variables: Record<string, string>;
beforeAll(async () => {
  // $WAITING is made before the commands and still waits when the last of them runs: its day is 144 s here.
  stack = await startEmbeddedStack({ timeScale: 10 });
  person = createPerson();
  const customer = await createCustomer(stack, customerOptions);
  copyFileSync(join(root, 'sluice.yaml'), join(person.home, 'sluice.yaml'));
  const { baseUrl, writeUrl } = stack;
  const { key: apiKey, id, name } = customer.project;
  mkdirSync(join(person.home, '.sluice'));
  writeFileSync(
    join(person.home, '.sluice', 'demo.json'),
    JSON.stringify({ baseUrl, writeUrl, apiKey, project: { id, name } }),
  );
  writeFileSync(join(person.home, 'token.txt'), customer.account.token);
  variables = await makeOperations(customer);
});
afterAll(() => stack.stop());

const customerOptions = {
  provider: 'hubspot',
  // A real account's quota.
  accountOptions: { limits: { perTenSeconds: 110, searchesPerSecond: 0 } },
  read: [{ objectName: 'contacts', optionalFields: [{ mapToName: 'position', prompt: 'Which field?' }] }],
  write: [{ objectName: 'contacts', inheritMapping: true }],
  config: {
    read: { objects: { contacts: { objectName: 'contacts', selectedFieldMappings: { position: 'jobtitle' } } } },
    write: {
      objects: {
        contacts: {
          objectName: 'contacts',
          selectedFieldSettings: { hs_lead_status: { default: { stringValue: 'NEW' } } },
        },
      },
    },
  },
} as const;

async function makeOperations(customer: Customer): Promise<Record<string, string>> {
  const write = async (record: object, maxDelayMinutes?: number) => {
    const batch = maxDelayMinutes === undefined ? {} : { autoBatchPolicy: { maxDelayMinutes } };
    const { body } = await customer.write('contacts', { type: 'create', mode: 'asynchronous', record, ...batch });
    return body.operationId;
  };
  const failed = await write({ email: 'no address' });
  await customer.ended(failed);
  // The account is busy once: what is sent first is sent again.
  await customer.account.fault({
    match: { method: 'POST' },
    action: { kind: 'quota', retryAfterSeconds: 1 },
    times: 1,
  });
  const batch = await write({ email: 'zoe@example.com', firstname: 'Zoë', position: 'Buyer' }, 2);
  await write({ email: 'ann@example.com', position: 'Baker' }, 2);
  await write({ email: 'no address', firstname: 'Bob' }, 2);
  await customer.ended(batch);
  return { FAILED: failed, BATCH: batch, WAITING: await write({ email: 'later@example.com' }, 1440) };
}

const outputs = new Map<Shown, string>();

it('has commands', () => {
  expect(commands.length).toBeGreaterThan(20);
});

it.each(commands.map((shown) => [shown.command, shown] as const))('%s', async (command, shown) => {
  const printed = await run(command);
  const isCurrent = forms(printed) === forms(shown.output);
  outputs.set(shown, isCurrent ? shown.output : printed);
  // What is written into the guide is as it should be by that.
  expect(forms(printed)).toBe(isWriting ? forms(printed) : forms(shown.output));
});

afterAll(() => {
  if (!isWriting) return;
  let at = 0;
  const written = text.replace(
    /```console\n[^]*?```/g,
    () => `\`\`\`console\n${renderBlock(blocks[at++] ?? [])}\`\`\``,
  );
  writeFileSync(guidePath, written);
});

function renderBlock(block: readonly Shown[]): string {
  return block.map((shown) => `$ ${shown.command}\n${outputs.get(shown) ?? shown.output}`).join('');
}

function readBlock(body: string): Shown[] {
  return body
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\n');
      return { command: part.slice(0, end), output: part.slice(end + 1) };
    });
}

/** Both streams, as a terminal shows them. */
async function run(command: string): Promise<string> {
  const env = { HOME: person.home, ...variables };
  const functions = `sluice() { '${process.execPath}' '${sluicePath}' "$@"; }`;
  const { stdout } = await runProgram('bash', ['-c', `exec 2>&1\n${functions}\n${command}`], { env, cwd: person.home });
  return stdout;
}

/** What does not differ from run to run. */
function forms(output: string): string {
  return (
    output
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<id>')
      .replaceAll(/\b(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?/g, '<moment>')
      .replaceAll(/\b\d{8,}\b/g, '<number>')
      .replaceAll(/\b\d+ ms\b/g, '<time>')
      // What is left of a quota is a matter of seconds.
      .replaceAll(/\b\d+ (?=of 110 in 10 s)/g, '<count> ')
      .replaceAll(/127\.0\.0\.1:\d+/g, '<address>')
      .replaceAll(/group-\d+|crm-\d+/g, '<name>')
      .replaceAll(/[ \t]+/g, ' ')
  );
}
