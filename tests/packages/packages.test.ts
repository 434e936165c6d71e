import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@sluice/testkit';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { runProgram } from '../command-line/run-sluice';
import { createCustomer, type Customer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';
import { freePortBase } from '../harness/free-port-base';
import { filesIn, installPackages, type Installed } from './install';

// What a stranger gets: the released files in an empty folder, without the checkout and without a registry, against running services.
const root = resolve(__dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const readme = readFileSync(join(root, 'libs/client/README.md'), 'utf8');

let stack: EmbeddedStack;
let customer: Customer;
let installed: Installed;
let env: Record<string, string>;
beforeAll(async () => {
  installed = installPackages();
  stack = await startEmbeddedStack({ env: { SLUICE_WEBHOOK_EGRESS_ALLOW: '127.0.0.1/32' } });
  customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  env = {
    SLUICE_URL: stack.baseUrl,
    SLUICE_SEARCH_URL: stack.searchUrl,
    SLUICE_WRITE_URL: stack.writeUrl,
    SLUICE_API_KEY: customer.project.key,
    SLUICE_PROJECT: customer.project.name,
    INTEGRATION: customer.integrationId,
    GROUP: customer.groupRef,
    ACCESS_TOKEN: customer.account.token,
  };
});
afterAll(async () => {
  installed.remove();
  await stack.stop();
});

const folderOf = (name: string) => join(installed.folder, 'node_modules/@sluice', name);
const manifestOf = (name: string) =>
  JSON.parse(readFileSync(join(folderOf(name), 'package.json'), 'utf8')) as Record<string, unknown>;
const put = (name: string, text: string) => writeFileSync(join(installed.folder, name), text);
const run = async (name: string) => {
  const { code, stdout, stderr } = await runProgram(process.execPath, [name], { cwd: installed.folder, env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout;
};

describe.each(['client', 'cli'])('the package %s', (name) => {
  it('is one with our version, needs no other and runs nothing when it is installed', () => {
    expect(installed.output).toContain('added 2 packages');
    expect(manifestOf(name)).toMatchObject({ name: `@sluice/${name}`, version, license: 'Apache-2.0' });
    const kept = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies', 'scripts', 'private'];
    for (const member of kept) expect(manifestOf(name)).not.toHaveProperty(member);
  });

  it('holds what is used and the notices of what is bundled, and nothing of the checkout', () => {
    const files = filesIn(folderOf(name));
    const documents = files.filter((file) => !file.startsWith('dist/')).toSorted();
    expect(documents).toEqual(['LICENSE', 'NOTICES', 'README.md', 'package.json']);
    const code = files.filter((file) => file.startsWith('dist/'));
    for (const file of code) {
      const text = readFileSync(join(folderOf(name), file), 'utf8');
      expect(text).not.toContain(root);
      const imported = [...text.matchAll(/^(?:import|export) .*?from ["']([^"']+)["']/gm)].map(
        (match) => match[1] ?? '',
      );
      expect(imported.filter((specifier) => !/^(node:|\.)/.test(specifier))).toEqual([]);
    }
    const notices = readFileSync(join(folderOf(name), 'NOTICES'), 'utf8');
    const bundled = [...notices.matchAll(/^(\S+) \d+\.\d+\.\d+ \(\S+\)$/gm)].map((match) => match[1]);
    const ofCommandLine = ['@modelcontextprotocol/sdk', 'cli-progress', 'commander', 'zod'];
    const known = ofCommandLine.filter((dependency) => bundled.includes(dependency));
    expect(known).toEqual(name === 'client' ? [] : ofCommandLine);
    expect(bundled.length > 0).toBe(name === 'cli');
  });
});

describe('the client', () => {
  const write = `
    const client = createSluiceClient({
      baseUrl: process.env.SLUICE_URL, writeUrl: process.env.SLUICE_WRITE_URL,
      apiKey: process.env.SLUICE_API_KEY, projectIdOrName: process.env.SLUICE_PROJECT,
    });
    const record = { email: FORM + '@example.com' };
    const body = { groupRef: process.env.GROUP, type: 'create', record };
    const names = { integrationId: process.env.INTEGRATION, objectName: 'contacts', body };
    const { operationId, result } = await client.write.writeRecords(names);
    const refusal = await client.write.writeRecords(names).catch((error) => error);
    const own = [];
    for await (const each of client.iterate.listOperationsForProject({ pageSize: 1 })) own.push(each.id);
    console.log(JSON.stringify({ operationId, recordId: result.recordId, refusal: refusal.name, own }));`;
  const forms: [string, string, string][] = [
    ['an ES module', 'write.mjs', `import { createSluiceClient } from '@sluice/client'; const FORM = 'esm';${write}`],
    [
      'CommonJS',
      'write.cjs',
      `const { createSluiceClient } = require('@sluice/client'); const FORM = 'cjs'; void (async () => {${write}})();`,
    ],
  ];
  it.each(forms)('writes and reads as %s', async (_form, file, text) => {
    put(file, text);
    const said = JSON.parse(await run(file)) as {
      operationId: string;
      recordId: string;
      refusal: string;
      own: string[];
    };
    expect(said).toMatchObject({ recordId: expect.stringMatching(/^\d+$/), refusal: 'SluiceRecordError' });
    expect(said.own.length).toBeGreaterThanOrEqual(2);
    expect(said.own).toContain(said.operationId);
  });

  // Each way in which TypeScript looks for types, with no types of Node or of a browser but the web's own.
  it.each([
    ['nodenext', 'types.mts', ['--module', 'nodenext']],
    ['nodenext', 'types.cts', ['--module', 'nodenext']],
    ['bundler', 'types.ts', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ])('has types for %s in %s', async (_resolution, file, options) => {
    put(
      file,
      `import { createSluiceClient, openConnect, SluiceApiError, verifyWebhook, type Operation, type WebhookEvent } from '@sluice/client';
      const client = createSluiceClient({ baseUrl: 'http://127.0.0.1/v1', projectIdOrName: 'demo' });
      const names = { integrationId: 'i', objectName: 'contacts' };
      const single = { groupRef: 'g', type: 'create', record: { email: 'a' } } as const;
      export async function typed(): Promise<void> {
        const accepted: { readonly operationId: string } = await client.write.writeRecords(
          { ...names, body: { ...single, mode: 'asynchronous' } }, { idempotencyKey: 'k' });
        const { result } = await client.write.writeRecords({ ...names, body: single });
        const id: string | undefined = result.recordId;
        const batch = { groupRef: 'g', type: 'create', batch: [{ record: {} }] } as const;
        const count: number = (await client.write.writeRecords({ ...names, body: batch })).successCount;
        const installed: string = (await openConnect({ url: 'https://sluice.example/connect#token' })).installationId;
        const { plan } = await client.write.writeRecords({ ...names, dryRun: 'true', body: single });
        for await (const each of client.iterate.listOperationsForProject({ status: 'failure' })) {
          const operation: Operation = each;
        }
        const event: WebhookEvent = await verifyWebhook('', {}, { secret: 'whsec_YQ==' });
        if (event.notificationType === 'write.async.done') { const failed: number = event.data.recordsFailed; }
        // @ts-expect-error members of other events
        event.data.recordsFailed;
        const error: Error = new SluiceApiError('getOperation', { status: 404, headers: new Headers(), body: {}, tookMs: 1 });
        // @ts-expect-error no such parameter
        await client.management.getOperation({ operationId: 'o', waitSecond: 1 });
        // @ts-expect-error no such object in an accepted reply
        (await client.write.writeRecords({ ...names, body: { ...single, mode: 'asynchronous' } })).result;
        // @ts-expect-error no list
        client.iterate.getOperation({ operationId: 'o' });
      }`,
    );
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const strict = [
      '--noEmit',
      '--strict',
      '--skipLibCheck',
      'false',
      '--target',
      'es2022',
      '--lib',
      'es2022,dom,dom.iterable,esnext.disposable',
    ];
    const args = [tsc, ...strict, '--types', '', ...options, file];
    const { code, stdout } = await runProgram(process.execPath, args, { cwd: installed.folder });
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  });
});

// As they stand on the page that comes with the package.
describe('the examples of its README', () => {
  const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, text = '']) => text);
  const [writing = '', reading = '', connecting = '', receiving = ''] = examples;

  it('are those for writing, reading, connecting and receiving', () => expect(examples).toHaveLength(4));

  it('write now, later and not at all', async () => {
    put('writing.mjs', writing);
    const lines = (await run('writing.mjs')).trim().split('\n');
    expect(lines).toEqual([
      'asynchronous: success',
      expect.stringMatching(/^refused by the provider: Contact already exists/),
      'would send: email',
    ]);
  });

  it('and that of the project, with the file that npm start writes', async () => {
    const page = readFileSync(join(root, 'README.md'), 'utf8');
    const [, text = ''] = /```js\n([^]*?)```/.exec(page) ?? [];
    const { project, integrationId, groupRef } = customer;
    mkdirSync(join(installed.folder, '.sluice'));
    const { name } = await project.client.management.getIntegration({ integrationId });
    const integrations = [{ name, groupRef }];
    const demo = { baseUrl: stack.baseUrl, writeUrl: stack.writeUrl, apiKey: project.key, project, integrations };
    put('.sluice/demo.json', JSON.stringify(demo));
    put('project.mjs', text);
    expect(await run('project.mjs')).toBe('success\n');
  });

  it('list what failed, and why', async () => {
    const failed = await customer.write('contacts', { type: 'create', record: { email: 'no address' } });
    expect(failed.status).toBe(422);
    put('reading.mjs', reading);
    expect((await run('reading.mjs')).split('\n')).toContain('record 0 failed: rejected');
  });

  it('connect a customer and search', async () => {
    put('connecting.mjs', connecting);
    expect(await run('connecting.mjs')).toMatch(/^installed: healthy\nfound: [01]\n$/);
  });

  it('believe a message of the service, and no other', async () => {
    const { client } = customer.project;
    put('receiving.mjs', receiving);
    // The receiver's port is chosen before there is a secret, so the endpoint is made for the port.
    const port = (await freePortBase()) + 100;
    const url = `http://127.0.0.1:${port}`;
    const { secret } = await client.management.createWebhookEndpoint({
      body: { url, eventTypes: ['write.async.done'] },
    });
    const child = spawn(process.execPath, ['receiving.mjs'], {
      cwd: installed.folder,
      env: { WEBHOOK_SECRET: secret, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const lines: string[] = [];
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
      await until('the receiver listens', () => lines.length > 0 || undefined);
      const record = { email: 'told@example.com' };
      const { body } = await customer.write('contacts', { type: 'create', mode: 'asynchronous', record });
      await until('the message', () => lines.includes(`write.async.done: ${body.operationId} is success`) || undefined);
      const headers = {
        'svix-id': 'm',
        'svix-timestamp': String(Math.floor(Date.now() / 1_000)),
        'svix-signature': 'v1,YQ==',
      };
      expect((await fetch(url, { method: 'POST', headers, body: '{}' })).status).toBe(400);
      await until('the refusal', () => lines.at(-1) === 'refused: signature-wrong' || undefined);
    } finally {
      child.kill('SIGKILL');
    }
  });
});

describe('the command line', () => {
  const bin = () => join(installed.folder, 'node_modules/.bin/sluice');
  const sluice = (...args: string[]) =>
    runProgram(process.execPath, [bin(), ...args], { cwd: installed.folder, env: { HOME: installed.folder, ...env } });

  it('is the command sluice, of our version', async () => {
    expect(await sluice('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('works on running services, from its list to the explanation of a record', async () => {
    const { body } = await customer.write('contacts', { type: 'create', record: { email: 'neither address' } });
    expect((await sluice('op', 'list', '--status', 'failure')).stdout).toContain(body.operationId);
    expect((await sluice('op', 'watch', body.operationId)).code).toBe(3);
    expect((await sluice('op', 'explain', body.operationId)).stdout).toMatch(/ended +not written \(rejected\)/);
    expect((await sluice('lanes')).stdout).toMatch(/^PROVIDER/);
  });

  it('serves an agent', async () => {
    const client = new Client({ name: 'tests', version: '1' });
    const args = [bin(), 'mcp', '--group', customer.groupRef];
    const settings = {
      command: process.execPath,
      args,
      cwd: installed.folder,
      env: { ...env, HOME: installed.folder },
    };
    await client.connect(new StdioClientTransport({ ...settings, stderr: 'ignore' }));
    try {
      expect(await client.callTool({ name: 'search_records', arguments: { object: 'contacts' } })).toMatchObject({
        content: [{ type: 'text', text: expect.stringMatching(/^\{"found":\d+,"records":\[/) as string }],
      });
    } finally {
      await client.close();
    }
  });
});
