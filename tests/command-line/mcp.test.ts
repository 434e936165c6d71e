import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text as textOf } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { readProcessEnv } from '@sluice/config';
import { tokenIssuer } from '@sluice/testkit';
import { blocksOf, isShown, withReplies } from '../documents/guide-blocks';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { createPerson, sluicePath, type Person } from './run-sluice';

// An agent's program starts the real binary, and works for one customer of a project that has two.
let stack: EmbeddedStack;
let customer: Customer;
let other: Customer;
let person: Person;
let issuer: ReturnType<typeof tokenIssuer>;
let kid: string;
let env: Record<string, string>;
const opened: Client[] = [];

beforeAll(async () => {
  stack = await startEmbeddedStack();
  customer = await createCustomer(stack, customerOptions);
  other = await createCustomer(stack, { ...customerOptions, project: customer.project });
  person = createPerson();
  issuer = tokenIssuer();
  const body = { label: 'agents', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem } as const;
  ({ kid } = await customer.project.client.management.createJwtKey({ body }));
  env = {
    HOME: person.home,
    SLUICE_URL: stack.baseUrl,
    SLUICE_SEARCH_URL: stack.searchUrl,
    SLUICE_WRITE_URL: stack.writeUrl,
    SLUICE_PROJECT: customer.project.id,
  };
});
afterAll(async () => {
  for (const client of opened) await client.close();
  await stack.stop();
});

const customerOptions = {
  provider: 'hubspot',
  read: [
    {
      objectName: 'contacts',
      requiredFields: [{ fieldName: 'email' }, { fieldName: 'company' }],
      optionalFields: [
        { mapToName: 'position', prompt: 'Which field?' },
        { mapToName: 'nickname', prompt: 'Which field?' },
      ],
    },
    { objectName: 'companies' },
  ],
  write: [{ objectName: 'contacts', inheritMapping: true }],
  config: {
    read: {
      objects: {
        contacts: { objectName: 'contacts', selectedFieldMappings: { position: 'jobtitle' } },
        companies: { objectName: 'companies', disabled: true },
      },
    },
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

/** A file with a token of the customer's group, or of another one. */
function tokenFile(name: string, text: string): string {
  const file = join(person.home, name);
  writeFileSync(file, `${text}\n`);
  return file;
}

const withKey = () => ({ ...env, SLUICE_API_KEY: customer.project.key });
const own = () => ['--group', customer.groupRef];
const byToken = () => [
  '--token-file',
  tokenFile('token.jwt', issuer.issue(kid, { groupRef: customer.groupRef, consumerRef: 'agent', sub: 'agent' })),
];

/** What an agent's program does first. */
async function connect(args: readonly string[], more: Record<string, string> = {}): Promise<Client> {
  return (await connectWithLog(args, more)).client;
}

/** @returns also what the server has written to standard error when it has ended */
async function connectWithLog(args: readonly string[], more: Record<string, string> = {}) {
  const client = new Client({ name: 'tests', version: '1' });
  const settings = { command: process.execPath, args: [sluicePath, 'mcp', ...args], env: { ...env, ...more } };
  const transport = new StdioClientTransport({ ...settings, cwd: person.home, stderr: 'pipe' });
  const log = textOf(transport.stderr as Readable);
  await client.connect(transport);
  opened.push(client);
  return { client, log };
}

interface Answer {
  readonly isError: boolean;
  readonly text: string;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Answer> {
  const { isError = false, content } = await client.callTool({ name, arguments: args });
  const [first] = content as readonly { readonly text: string }[];
  return { isError: isError === true, text: first?.text ?? '' };
}

async function done<T>(client: Client, name: string, args: Record<string, unknown> = {}): Promise<T> {
  const { isError, text } = await call(client, name, args);
  if (isError) throw new Error(text);
  return JSON.parse(text) as T;
}

interface Refusal {
  readonly code: string;
  readonly detail: string;
  readonly remedy?: string;
  readonly operationId: string;
  readonly idempotencyKey?: string;
  readonly repeat?: string;
  readonly issues: readonly { readonly field: string; readonly rule: string; readonly value?: unknown }[];
}

async function refused(client: Client, name: string, args: Record<string, unknown>): Promise<Refusal> {
  const { isError, text } = await call(client, name, args);
  expect(isError).toBe(true);
  return (JSON.parse(text) as { error: Refusal }).error;
}

const toolsOf = async (client: Client) => (await client.listTools()).tools;

describe('the tools', () => {
  it('are those that read; with --allow-writes also those that write', async () => {
    const reading = ['describe_objects', 'search_records', 'explain_operation'];
    const without = await connect(own(), withKey());
    expect((await toolsOf(without)).map(({ name }) => name)).toEqual(reading);
    expect((await call(without, 'create_record', { object: 'contacts', fields: { email: 'a@b.co' } })).isError).toBe(
      true,
    );
    const writing = await connect([...own(), '--allow-writes'], withKey());
    expect((await toolsOf(writing)).map(({ name }) => name)).toEqual([...reading, 'create_record', 'update_record']);
  });

  it('describe each argument and bound it, and none chooses the group', async () => {
    for (const { name, description, inputSchema } of await toolsOf(
      await connect([...own(), '--allow-writes'], withKey()),
    )) {
      expect([name, description?.length]).toEqual([name, expect.any(Number)]);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      for (const [argument, schema] of Object.entries(inputSchema.properties ?? {})) {
        expect([argument, schema]).toEqual([
          argument,
          expect.objectContaining({ description: expect.any(String) as string }),
        ]);
        expect(argument).not.toMatch(/group/i);
      }
    }
  });
});

describe('describe_objects', () => {
  it('lists what the group has installed and what may be done with it', async () => {
    const client = await connect([...byToken()]);
    expect(await done(client, 'describe_objects')).toMatchObject({
      group: customer.groupRef,
      writesAllowed: false,
      integrations: [
        {
          id: customer.integrationId,
          provider: 'hubspot',
          health: 'healthy',
          objects: [
            { object: 'contacts', search: true, write: true },
            { object: 'companies', search: false, write: false },
          ],
        },
      ],
    });
  });

  it('lists the fields of an object as the account has them, with mappings, defaults and what cannot be written', async () => {
    const client = await connect([...byToken()]);
    interface Fields {
      readonly namesOfWrites: string;
      readonly mappedNamesWithoutField: readonly string[];
      readonly fields: readonly { readonly name: string; readonly mappedName?: string; readonly write: boolean }[];
    }
    const all = await done<Fields>(client, 'describe_objects', { object: 'contacts' });
    expect(all).toMatchObject({ namesOfWrites: 'name or mappedName', mappedNamesWithoutField: ['nickname'] });
    const found = new Map(all.fields.map((field) => [field.name, field]));
    expect(found.get('jobtitle')).toMatchObject({ mappedName: 'position', write: true });
    expect(found.get('hs_lead_status')).toMatchObject({ default: 'NEW' });
    expect(all.fields.some(({ write }) => !write)).toBe(true);
    const narrow = { object: 'contacts', nameContains: 'EMAIL', writableOnly: true };
    const some = await done<Fields>(client, 'describe_objects', narrow);
    expect(some.fields.length).toBeGreaterThan(0);
    expect(some.fields.every(({ write }) => write)).toBe(true);
    expect(await refused(client, 'describe_objects', { object: 'dragons' })).toMatchObject({
      code: 'object.not-found',
    });
  });

  it('refuses an integration that the group does not have, and names those that it has', async () => {
    const client = await connect([...byToken()]);
    const { integrations } = await done<{ integrations: readonly { integration: string }[] }>(
      client,
      'describe_objects',
    );
    const detail = `integration: "none" is not one of ${integrations[0]?.integration}.`;
    for (const args of [{}, { object: 'contacts' }]) {
      const refusal = await refused(client, 'describe_objects', { ...args, integration: 'none' });
      expect(refusal).toEqual({ code: 'argument.refused', detail });
    }
  });
});

describe('writing and searching', () => {
  let client: Client;
  beforeAll(async () => (client = await connect([...byToken(), '--allow-writes'])));

  it('shows in a dry run what would be sent, and sends nothing', async () => {
    const before = (await customer.account.calls()).length;
    const fields = { email: 'dry@example.com', position: 'Buyer' };
    const planned = await done(client, 'create_record', { object: 'contacts', fields, dryRun: true });
    expect(planned).toMatchObject({
      written: false,
      plan: [
        { field: 'email', value: 'dry@example.com', sent: true },
        { field: 'position', providerField: 'jobtitle', value: 'Buyer', sent: true },
        { field: 'hs_lead_status', value: 'NEW', sent: true },
      ],
    });
    expect((await customer.account.calls()).length).toBe(before);
  });

  it('creates, finds, updates and explains a record', async () => {
    const fields = { email: 'zoe@example.com', position: 'Buyer' };
    const created = await done<{ recordId: string }>(client, 'create_record', { object: 'contacts', fields });
    expect(created).toMatchObject({ written: true, recordId: expect.stringMatching(/^\d+$/) as string });
    const filters = [{ field: 'position', value: 'Buyer' }];
    const asked = { object: 'contacts', filters, fields: ['email', 'position'] };
    expect(await done(client, 'search_records', asked)).toEqual({
      found: 1,
      records: [{ id: created.recordId, fields: { email: 'zoe@example.com' }, mappedFields: { position: 'Buyer' } }],
    });
    const change = { object: 'contacts', id: created.recordId, fields: { position: 'Baker' } };
    const { operationId } = await done<{ operationId: string }>(client, 'update_record', change);
    const { text, isError } = await call(client, 'explain_operation', { operationId });
    expect(isError).toBe(false);
    expect(text).toMatch(/^Operation [^\n]*: synchronous update of contacts at hubspot for [^\n]+\n[^]*ended +written/);
    expect(await done(client, 'search_records', asked)).toMatchObject({ found: 0 });
  });

  it('writes once for a repeat with the same key, and later when it is asked to', async () => {
    // A key may be any text.
    const twice = { object: 'contacts', fields: { email: 'twice@example.com' }, idempotencyKey: 'für Zoë 1' };
    expect(await done(client, 'create_record', twice)).toEqual(await done(client, 'create_record', twice));
    const later = { object: 'contacts', fields: { email: 'later@example.com' }, asynchronous: true };
    const { operationId } = await done<{ operationId: string }>(client, 'create_record', later);
    expect(await customer.ended(operationId)).toMatchObject({ status: 'success' });
  });

  it('gives the key of each write, with which a repeat writes nothing, and none of a dry run', async () => {
    const args = { object: 'contacts', fields: { email: 'again@example.com' } };
    const first = await done<{ idempotencyKey: string }>(client, 'create_record', args);
    const { idempotencyKey } = first;
    expect(first).toMatchObject({ repeat: expect.stringContaining('must carry this idempotencyKey') as string });
    expect(await done(client, 'create_record', { ...args, idempotencyKey })).toEqual(first);
    const changed = await refused(client, 'create_record', {
      ...args,
      fields: { email: 'b@example.com' },
      idempotencyKey,
    });
    expect(changed).toMatchObject({ code: 'request.idempotency-mismatch', idempotencyKey });
    const wrong = { object: 'contacts', fields: { email: 'no address' } };
    const failed = await refused(client, 'create_record', wrong);
    expect(failed).toMatchObject({
      idempotencyKey: expect.any(String) as string,
      repeat: expect.any(String) as string,
    });
    expect(failed.idempotencyKey).not.toBe(idempotencyKey);
    const again = await refused(client, 'create_record', { ...wrong, idempotencyKey: failed.idempotencyKey });
    expect(again.operationId).toBe(failed.operationId);
    expect(await done(client, 'create_record', { ...args, dryRun: true })).not.toHaveProperty('idempotencyKey');
  });

  it('says which field is wrong, by what rule, and what to do', async () => {
    const fields = { email: 'no address' };
    const byProvider = await refused(client, 'create_record', { object: 'contacts', fields });
    expect(byProvider).toMatchObject({
      code: 'provider.rejected',
      detail: expect.stringMatching(/^email: /) as string,
      problems: [{ field: 'email', code: 'INVALID_EMAIL', message: expect.any(String) as string, value: 'no address' }],
    });
    expect(byProvider.remedy).toContain('explain_operation');
    const { text } = await call(client, 'explain_operation', { operationId: byProvider.operationId, record: 0 });
    expect(text).toMatch(/ended +not written \(rejected\)/);
    const object = 'contacts';
    const missing = await refused(client, 'create_record', { object: 'companies', fields: { name: 'Acme' } });
    expect(missing).toMatchObject({ code: expect.stringMatching(/^write\./) as string });
    const unchosen = await refused(client, 'search_records', { object, filters: [{ field: 'nickname', value: 'Z' }] });
    expect(unchosen).toMatchObject({
      code: 'request.invalid',
      issues: [{ field: expect.stringContaining('fieldFilters') as string, rule: expect.any(String) as string }],
      remedy: expect.any(String) as string,
    });
  });

  it('refuses arguments that it does not know or that are out of bounds, by their names', async () => {
    const object = 'contacts';
    for (const [tool, args, named] of [
      ['search_records', { object, groupRef: other.groupRef }, 'groupRef'],
      ['search_records', { object, limit: 1000 }, 'limit'],
      ['create_record', { object, fields: { ['x'.repeat(300)]: 1 } }, 'fields'],
      ['describe_objects', { object: '..' }, 'object'],
    ] as const) {
      const { isError, text } = await call(client, tool, args);
      expect([tool, isError]).toEqual([tool, true]);
      expect(text).toContain(named);
    }
  });

  it('leaves out records that a reply has no room for, and says so', async () => {
    const company = 'c'.repeat(40_000);
    for (const email of ['large-1@example.com', 'large-2@example.com']) {
      await done(client, 'create_record', { object: 'contacts', fields: { email, company, position: 'Large' } });
    }
    const asked = { object: 'contacts', filters: [{ field: 'position', value: 'Large' }], fields: ['company'] };
    const { text } = await call(client, 'search_records', asked);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64_000);
    expect(JSON.parse(text)).toMatchObject({
      found: 2,
      records: [{}],
      leftOut: expect.stringMatching(/^1 of 2/) as string,
    });
  });
});

describe('another group', () => {
  it.each(['key', 'token'])('is out of reach with a %s', async (credential) => {
    const client = credential === 'key' ? await connect(own(), withKey()) : await connect(byToken());
    const { body } = await other.write('contacts', { type: 'create', record: { email: 'private@example.com' } });
    const { operationId } = body;
    const { isError, text } = await call(client, 'explain_operation', { operationId });
    expect(isError).toBe(true);
    expect(text).not.toContain('private');
    expect(text).toMatch(/operation/);
    const { integrationId } = other;
    for (const args of [{}, { object: 'contacts' }]) {
      const described = await call(client, 'describe_objects', { ...args, integration: integrationId });
      expect(described.text).not.toContain(other.groupRef);
    }
    const found = await call(client, 'search_records', { integration: integrationId, object: 'contacts' });
    expect(found).toMatchObject({ isError: true });
    expect(found.text).not.toContain('private@');
  });

  it.each(['key', 'token'])('has operations that read as if they did not exist, with a %s', async (credential) => {
    const client = credential === 'key' ? await connect(own(), withKey()) : await connect(byToken());
    const { body } = await other.write('contacts', { type: 'create', record: { email: `${credential}@example.com` } });
    const answers: Refusal[] = [];
    for (const operationId of [body.operationId, randomUUID()]) {
      const { detail, ...refusal } = await refused(client, 'explain_operation', { operationId });
      answers.push({ ...refusal, detail: detail.replace(operationId, 'ID') });
    }
    expect(answers[0]).toEqual(answers[1]);
  });

  it('has keys of its own: the same key takes nothing from it, and tells nothing of it', async () => {
    for (const groupRef of [customer.groupRef, other.groupRef]) {
      const client = await connect(['--group', groupRef, '--allow-writes'], withKey());
      const args = { object: 'contacts', fields: { email: 'order@example.com' }, idempotencyKey: 'order-1' };
      const written = await done(client, 'create_record', args);
      expect(written).toMatchObject({ written: true, idempotencyKey: 'order-1' });
    }
  });
});

describe('it does not start', () => {
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    person.sluice(['mcp', ...args], { env: { ...env, ...more } });

  it('without a group, or with one that is not the group of the token', async () => {
    expect(await run([], withKey())).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('Add --group <ref>') as string,
    });
    const both = await run([...byToken(), '--group', other.groupRef]);
    expect(both).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(`--group is "${other.groupRef}"`) as string,
    });
  });

  it('with a wrong key or token, and prints neither', async () => {
    const key = await run(own(), { SLUICE_API_KEY: 'sk_wrong' });
    expect(key).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not accepted') as string });
    expect(key.stderr).not.toContain('sk_wrong');
    const forged = tokenIssuer().issue(kid, { groupRef: customer.groupRef });
    const token = await run(['--token-file', tokenFile('forged.jwt', forged)]);
    expect(token).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^sluice: The token of .* is not accepted/) as string,
    });
    expect(token.stderr).not.toContain(forged);
    expect((await run(['--token-file', tokenFile('none.jwt', 'x')])).stderr).toContain('holds no bearer token');
  });
});

// Tokens live ten minutes at most, an agent longer.
it('reads the token for each request: one that is refused is an error of the tool, and a renewed one works', async () => {
  const args = byToken();
  const [, file = ''] = args;
  const client = await connect(args);
  writeFileSync(file, tokenIssuer().issue(kid, { groupRef: customer.groupRef }));
  const wrong = await refused(client, 'search_records', { object: 'contacts', integration: customer.integrationId });
  expect(wrong).toMatchObject({ code: expect.stringMatching(/^auth/) as string, remedy: expect.any(String) as string });
  byToken();
  expect(await done(client, 'describe_objects')).toMatchObject({ group: customer.groupRef });
});

it('tells who runs it where the token is that cannot be read, and the agent only that it cannot', async () => {
  const token = issuer.issue(kid, { groupRef: customer.groupRef, consumerRef: 'agent', sub: 'agent' });
  const file = tokenFile('gone.jwt', token);
  const { client, log } = await connectWithLog(['--token-file', file]);
  for (const spoil of [() => writeFileSync(file, 'no token'), () => rmSync(file)]) {
    spoil();
    const answer = await call(client, 'describe_objects');
    expect(JSON.parse(answer.text)).toMatchObject({ error: { code: 'token.unreadable' } });
    expect(answer.text).not.toContain('gone.jwt');
  }
  await client.close();
  expect(await log).toContain(`sluice mcp: ${file} holds no bearer token`);
  expect(await log).toContain(`ENOENT of ${file}`);
});

/**
 * The page shows what an agent asked and was answered. Each call of it is made, in order, and the answer compared but for ids, moments and what `…`
 * leaves out. `SLUICE_WRITE_GUIDE=1` writes what differs into the page.
 */
describe('the example of docs/guides/agents.md', () => {
  const path = join(__dirname, '../../docs/guides/agents.md');
  const page = readFileSync(path, 'utf8');
  const isWriting = readProcessEnv()['SLUICE_WRITE_GUIDE'] !== undefined;
  const block = blocksOf(page).find(({ text }) => text.startsWith('> '));
  const calls = [...(block?.text ?? '').matchAll(/^> (\w+) (.+)\n([^]*?)(?=^> |$(?![^]))/gm)];

  const optionsOfPage = {
    ...customerOptions,
    read: [
      {
        objectName: 'contacts',
        requiredFields: [{ fieldName: 'email' }],
        optionalFields: [{ mapToName: 'position', prompt: 'Which field?' }],
      },
    ],
    config: {
      ...customerOptions.config,
      read: { objects: { contacts: customerOptions.config.read.objects.contacts } },
    },
  };

  it('shows what the tools answer', async () => {
    const reader = await createCustomer(stack, optionsOfPage);
    const { id, key } = reader.project;
    const args = ['--group', reader.groupRef, '--allow-writes'];
    const client = await connect(args, { SLUICE_API_KEY: key, SLUICE_PROJECT: id });
    const answers: { readonly asked: string; readonly shown: string; readonly printed: string }[] = [];
    let operationId = '';
    for (const [, name = '', given = '', shown = ''] of calls) {
      // The only id that a call of the page has is that of the operation before it.
      const { isError, text } = await call(
        client,
        name,
        JSON.parse(given.replaceAll(uuid, operationId)) as Record<string, unknown>,
      );
      operationId = /"operationId":"([^"]+)"/.exec(text)?.[1] ?? operationId;
      answers.push({ asked: `> ${name} ${given}`, shown, printed: `${isError ? 'ERROR ' : ''}${text}` });
    }
    expect(answers.length).toBeGreaterThan(6);
    const isCurrent = ({ shown, printed }: (typeof answers)[number]) => isShown(formOf(shown), formOf(printed));
    const stale = answers.filter((answer) => !isCurrent(answer));
    if (isWriting && block !== undefined && stale.length > 0) {
      const texts = answers.map(
        (answer) => `${answer.asked}\n${isCurrent(answer) ? answer.shown.trim() : answer.printed}`,
      );
      writeFileSync(path, withReplies(page, [[block, texts.join('\n\n')]]));
    }
    expect(isWriting ? [] : stale).toEqual([]);
  });

  const uuid = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g;
  const formOf = (text: string): string =>
    text
      // Where a line of JSON goes on.
      .replaceAll(/\n (?=\S)/g, '')
      .replaceAll(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?/g, '<moment>')
      .replaceAll(/\b\d+ ms\b/g, '<time>')
      .replaceAll(/\b(?:group|crm)-[\w-]+/g, '<name>');
});
