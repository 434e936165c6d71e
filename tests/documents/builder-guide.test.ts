import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { readProcessEnv } from '@sluice/config';
import { seedSandboxDemo } from '@sluice/local';
import { until } from '@sluice/testkit';
import { runProgram } from '../command-line/run-sluice';
import { createCustomer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { adminKey } from '../harness/stack';
import {
  blocksOf,
  fileOf,
  isShown,
  jsonLines,
  snippetsOf,
  withReplies,
  type Block,
  type Snippet,
} from './guide-blocks';

/**
 * Every command and program of the builder pages is run, in order, against the demo of `npm start`, and what it prints compared with the block
 * that follows it, but for ids and moments. `SLUICE_WRITE_GUIDE=1` writes what they print into the pages.
 */
const root = resolve(__dirname, '../..');
const folderOfPages = join(root, 'docs/guides');
const isWriting = readProcessEnv()['SLUICE_WRITE_GUIDE'] !== undefined;

/** Its page has it from a file, which `services/management/test/webhook-delivery.test.ts` runs. */
const isReceiver = ({ language, text: program }: Block) => language === 'js' && program.includes('svix');

/** The event, and `npm run connect` with a real account: `deploy/local/test/connect.test.ts` runs the command. */
const isShownOnly = ({ language }: Block) => language === 'json' || language === 'console';

const pages = [
  'quickstart',
  'connecting',
  'connect-page',
  'connect-salesforce',
  'writing',
  'mapping',
  'searching',
  'errors',
  'limits',
  'migrate',
  // Last: its endpoint is elsewhere, and nothing that happens afterwards is posted there.
  'notifications',
].map((name) => {
  const path = join(folderOfPages, `${name}.md`);
  const page = readFileSync(path, 'utf8');
  const isRun = (block: Block) => block.isReply || !(isShownOnly(block) || isReceiver(block));
  return { name, path, page, snippets: snippetsOf(blocksOf(page).filter(isRun)) };
});
const [quickstart] = pages;
/** Gives the addresses, the key and the names their variables. */
const names = quickstart?.snippets[0]?.block.text ?? '';

let stack: EmbeddedStack;
let folder: string;
beforeAll(async () => {
  // A minute of 10 s: the three writes of an auto-batch reach it on any machine.
  stack = await startEmbeddedStack({ timeScale: 6, env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' } });
  folder = mkdtempSync(join(tmpdir(), 'sluice-guide-'));
  mkdirSync(join(folder, '.sluice'));
  const secrets = { adminKey, credentialsKeys: '' };
  const addresses = { ...stack, adminKey };
  await seedSandboxDemo({ folder: join(folder, '.sluice'), addresses, secrets });
  link('@sluice/client', 'libs/client');
  link('@types/node', 'node_modules/@types/node');
  writeFileSync(join(folder, 'sluice.yaml'), readFileSync(join(root, 'sluice.yaml')));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await stack.stop();
});

function link(name: string, target: string): void {
  const path = join(folder, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(root, target), path);
}

it('has commands and programs, and shows what they print', () => {
  const snippets = pages.flatMap((page) => page.snippets);
  expect(snippets.length).toBeGreaterThan(40);
  expect(snippets.filter(({ reply }) => reply).length).toBeGreaterThan(30);
});

// A program that only seems to run has a type error.
it('has programs that the compiler accepts', async () => {
  const programs = pages.flatMap(({ name, snippets }) =>
    snippets.flatMap(({ block }, at) =>
      block.language === 'ts' ? [{ file: `${name}-${at}.mts`, program: block.text }] : [],
    ),
  );
  expect(programs.length).toBeGreaterThan(4);
  for (const { file, program } of programs) writeFileSync(join(folder, file), `${program}\nexport {};\n`);
  const options = ['--noEmit', '--strict', '--noUncheckedIndexedAccess', '--noPropertyAccessFromIndexSignature'];
  const module = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const files = programs.map(({ file }) => file);
  const { stdout } = await runProgram(process.execPath, [tsc, ...options, ...module, ...files], { cwd: folder });
  expect(stdout).toBe('');
});

it('has one program that another suite runs', () => {
  const programs = pages.flatMap(({ page }) => blocksOf(page).filter(isReceiver));
  const file = join(root, 'services/management/test/receive-notifications.mjs');
  expect(programs.map((block) => block.text)).toEqual([readFileSync(file, 'utf8')]);
});

it('shows the members that an event has', async () => {
  const blocks = pages.flatMap(({ page }) =>
    blocksOf(page).filter(({ language, isReply }) => language === 'json' && !isReply),
  );
  expect(blocks).toHaveLength(1);
  const customer = await createCustomer(stack, { provider: 'hubspot', write: ['contacts'] });
  const events: object[] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse) => {
    events.push(JSON.parse(await text(request)) as object);
    response.writeHead(204).end();
  };
  const receiver = createServer((request, response) => void receive(request, response));
  await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  await customer.project.client.management.createWebhookEndpoint({ body: { url, eventTypes: ['write.async.done'] } });
  const batch = ['a@example.com', 'no address', 'b@example.com'].map((email) => ({ record: { email } }));
  await customer.write('contacts', { type: 'create', mode: 'asynchronous', batch });
  const event = await until('the event', () => events[0]);
  await new Promise((done) => receiver.close(done));
  expect(shapeOf(event)).toEqual(shapeOf(JSON.parse(blocks[0]?.text ?? '')));
});

/** Members, and what they hold where it is of a set. */
function shapeOf(value: object): unknown {
  const entries = Object.entries(value).map(([name, member]) => {
    if (name === 'data') return [name, shapeOf(member as object)];
    return [name, Array.isArray(member) ? `${member.length} of ${typeof member[0]}` : typeof member];
  });
  return Object.fromEntries(entries) as unknown;
}

describe.each(pages)('$name', ({ name, path, page, snippets }) => {
  const printed = new Map<Block, string>();

  it.each(snippets.map((snippet) => [titleOf(snippet), snippet] as const))('%s', async (_, { block, reply }) => {
    const output = await run(name, block);
    const shown = reply?.language === 'json' ? jsonLines(JSON.parse(output)) : output;
    const isCurrent = reply === undefined || isShown(reply.text, shown);
    if (!isCurrent) printed.set(reply, atStart(shown));
    // What is written into the page is as it should be by that.
    expect(isCurrent || isWriting ? reply?.text : shown).toBe(reply?.text);
  });

  afterAll(() => {
    if (isWriting) writeFileSync(path, withReplies(page, [...printed]));
  });
});

/** With the ports of `npm start`. */
function atStart(printed: string): string {
  return printed.replaceAll(
    /(127\.0\.0\.1(?::|%3A))(\d+)/g,
    (_, host: string, port: string) => `${host}${4000 + Number(port) - stack.portBase}`,
  );
}

function titleOf({ block }: Snippet): string {
  return block.text.trim().split('\n').at(0)?.slice(0, 100) ?? '';
}

/** A page is one shell: what a command sets, the next one has. Programs are saved, and run unless the page's commands do it. */
async function run(page: string, { language, text: written }: Block): Promise<string> {
  if (language === 'sh') return shell(page, written);
  const file = language === 'ts' ? fileOf(written) : undefined;
  writeFileSync(join(folder, file ?? 'program.mts'), language === 'js' ? `${browser}\n${written}` : written);
  return file === undefined ? shell(page, 'node program.mts') : '';
}

/** What a page of a builder has where its script runs; its token is any credential of the project. */
const browser = `const window = { open: console.log, addEventListener: () => undefined };
const button = window;
globalThis.location = new URL('https://app.example.com/settings/crm');
const { BASE, KEY: token, PROJECT: projectIdOrName } = process.env;`;

const states = new Map<string, string>();

async function shell(page: string, command: string): Promise<string> {
  const stateFile = join(folder, `${page}.state`);
  const before = states.has(page) ? `. '${stateFile}'` : names;
  const script = `exec 2>&1\n${before}\nset -e\n${command}\nset +e\n{ declare -f; declare -p | grep -v '^declare -[^ ]*r'; } > '${stateFile}'\n`;
  const env = { HOME: folder, PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, NODE_NO_WARNINGS: '1' };
  const { code, stdout } = await runProgram('bash', ['-c', script], { cwd: folder, env });
  if (code !== 0) throw new Error(`ended with ${code}: ${stdout}`);
  states.set(page, stateFile);
  return stdout;
}
