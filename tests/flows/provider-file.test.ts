import { spawnSync } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Account } from '../harness/account';
import { createCustomer, type Customer } from '../harness/customer';
import { runProgram } from '../command-line/run-sluice';
import { blocksOf, snippetsOf } from '../documents/guide-blocks';
import { createProject } from '../harness/project';
import { startStack, type OwnStack } from '../harness/stack';
import { guide, startStockroom, type Stockroom } from './provider-file/stockroom';

const provider = 'stockroom' as Account['provider'];

let stockroom: Stockroom;
let stack: OwnStack;
let customer: Customer;

// The example of docs/guides/add-a-provider.md: its API and its file, on every service.
beforeAll(async () => {
  stockroom = await startStockroom();
  stack = await startStack({ env: { SLUICE_PROVIDERS_DIR: stockroom.folder } });
  customer = await createCustomer(stack, {
    provider,
    account: { provider } as Account,
    credentials: () => ({ apiKey: 'key-1' }),
    read: ['items'],
    write: ['items'],
  });
});

afterAll(async () => {
  await stack?.stop();
  stockroom?.stop();
});

it('is in the catalogue, for anybody', async () => {
  const reply = await fetch(`${stack.baseUrl}/providers/stockroom`);
  expect(await reply.json()).toMatchObject({
    name: 'stockroom',
    displayName: 'Stockroom',
    authType: 'apiKey',
    apiKeyOpts: { attachmentType: 'header', header: { name: 'x-stockroom-key' } },
    support: { write: true, delete: false, search: { operators: { equals: true } } },
  });
  const all = (await (await fetch(`${stack.baseUrl}/providers`)).json()) as Record<string, unknown>;
  expect(Object.keys(all).sort()).toEqual(
    [
      'close',
      'freshdesk',
      'hubspot',
      'klaviyo',
      'pipedrive',
      'salesforce',
      'stockroom',
      'zendeskSupport',
      'zoho',
    ].sort(),
  );
});

it('is connected with a key, which is tried; the account is the one that it reports', async () => {
  expect(await customer.connection()).toMatchObject({
    provider: 'stockroom',
    authScheme: 'apiKey',
    providerWorkspaceRef: 'main-street',
  });
  const project = await createProject(stack);
  const refused = project.connect({ provider } as Account, 'group', { apiKey: 'key-2' });
  await expect(refused).rejects.toThrow(/apiKey is refused by stockroom: unknown key/);
});

// With the names of the quickstart, in a folder of a person's own.
it('is deployed, connected, written to and searched by the commands of the guide', async () => {
  const { key, name } = await createProject(stack);
  const [snippet] = snippetsOf(blocksOf(guide).filter(({ language, isReply }) => language === 'sh' || isReply));
  const env = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    KEY: key,
    PROJECT: name,
    P: `${stack.baseUrl}/projects/${name}`,
    WRITE: stack.writeUrl,
    SEARCH: stack.searchUrl,
  };
  const api = `api() { curl -sS -w '\\n' -H "x-api-key: $KEY" -H 'content-type: application/json' "$@"; }`;
  const script = `exec 2>&1\nset -e\n${api}\n${snippet?.block.text}`;
  const cwd = mkdtempSync(join(tmpdir(), 'sluice-stock-'));
  const { code, stdout } = await runProgram('bash', ['-c', script], { cwd, env });
  expect({ code, shown: stdout.trim() }).toEqual({ code: 0, shown: snippet?.reply?.text.trim() });
});

it('returns the declared fields', async () => {
  const url = `${stack.baseUrl}/projects/${customer.project.id}/providers/stockroom/objects/items/metadata?groupRef=${customer.groupRef}`;
  const reply = await fetch(url, { headers: { 'x-api-key': customer.project.key } });
  expect(await reply.json()).toMatchObject({ fields: { sku: { valueType: 'string', isRequired: true } } });
});

it('stops every service with a list, when a file breaks a rule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-providers-'));
  writeFileSync(join(folder, 'bad.yaml'), 'format: 1\nname: close\nbaseURL: x\n');
  const executable = join(__dirname, '../../services/batcher/dist/index.js');
  const env = { DATABASE_URL: 'postgres://127.0.0.1:1/x', KAFKA_BROKERS: '127.0.0.1:1', SLUICE_PROVIDERS_DIR: folder };
  const { status, stderr } = spawnSync(process.execPath, [executable], { env, encoding: 'utf8', timeout: 300_000 });
  expect(status).toBe(1);
  expect(stderr).toContain(`${join(folder, 'bad.yaml')}:3:1 baseURL is not known here; did you mean baseUrl?`);
  expect(stderr).toMatch(/bad\.yaml:1:1 auth is required/);
  expect(stderr).not.toMatch(/\n\s+at /);
});
