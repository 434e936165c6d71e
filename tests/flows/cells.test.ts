import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createStore } from '@sluice/store';
import { silentLogger } from '@sluice/telemetry';
import { tokenIssuer, until, zipOf } from '@sluice/testkit';
import type { Connection } from '@sluice/types';
import { runProgram, sluicePath } from '../command-line/run-sluice';
import { createAccount } from '../harness/account';
import type { Addresses } from '../harness/addresses';
import { ask, call } from '../harness/api';
import { allow, visit } from '../harness/browser';
import { createCustomer, type Customer } from '../harness/customer';
import { freePortBase } from '../harness/free-port-base';
import { compareWrites, countsOf, startWrites, type MarkedWrite, type MarkedWrites } from '../harness/marked-writes';
import type { Project } from '../harness/project';
import { adminKey, startStack, type OwnStack } from '../harness/stack';
import { findHaproxy, startRouter, type Router } from './cells/router';

const haproxy = findHaproxy();
if (haproxy === undefined) {
  process.stderr.write('SKIPPED tests/flows/cells.test.ts: haproxy is not installed (npm run router:tools)\n');
}

const folder = mkdtempSync(join(tmpdir(), 'sluice-cells-'));
let cells: Readonly<Record<'one' | 'two', OwnStack>>;
let router: Router;
/** Of the router: what builders know. */
let addresses: Addresses;
let running: readonly MarkedWrites[] = [];
let customers: Readonly<Record<'one' | 'two', Customer>>;
const processes = ['management', 'search', 'write-gateway', 'batcher', 'executor'] as const;

/** Longest wait for writes on a machine that is busy. */
const acceptMs = 120_000;

const isAway = 'The cell of this project does not answer.';
/** No reply, or one of the router in place of a service's. A service on a busy machine may say 503 itself. */
const isOfRouter = ({ status, detail }: MarkedWrite): boolean =>
  [0, 502, 504].includes(status) || (status === 503 && detail === isAway);

/** A cell has a database, a Redis and topics of its own; providers send customers back to the router. */
async function startCells(publicUrl: string): Promise<typeof cells> {
  const [plain] = (readProcessEnv()['REDIS_URL'] ?? '').split(/\/\d*$/);
  const envOf = (name: string, database: number) => ({
    KAFKA_TOPIC_PREFIX: `cell-${name}.`,
    REDIS_URL: `${plain}/${database}`,
    SLUICE_PUBLIC_URL: publicUrl,
  });
  const one = await startStack({ env: envOf('one', 5) });
  const providerUrl = async () => one.url('sandbox');
  const two = await startStack({ env: envOf('two', 6), only: processes, providerUrl });
  return { one, two };
}

/** `sluice cells`, as an operator runs it; one has room for one project. */
async function route(): Promise<string> {
  const lines = Object.entries(cells).map(([name, cell]) => {
    const [management, search, write] = (['management', 'search', 'write-gateway'] as const).map((api) =>
      cell.url(api),
    );
    return `  - { name: ${name}, room: ${name === 'one' ? 1 : 9}, management: '${management}', search: '${search}', write: '${write}' }`;
  });
  const listen = [addresses.baseUrl, addresses.searchUrl, addresses.writeUrl].map((url) => new URL(url).host);
  const table = `socket: ${join(folder, 'haproxy.sock')}\nlisten: { management: '${listen[0]}', search: '${listen[1]}', write: '${listen[2]}' }\ncells:\n${lines.join('\n')}\n`;
  writeFileSync(join(folder, 'cells.yaml'), table);
  const args = [sluicePath, 'cells', join(folder, 'cells.yaml'), '--out', folder];
  const { code, stdout, stderr } = await runProgram(process.execPath, args, { env: { SLUICE_ADMIN_KEY: adminKey } });
  if (code !== 0) throw new Error(`sluice cells ended with ${code}: ${stderr}`);
  return stdout;
}

const namesIn = async (cell: OwnStack) =>
  (await call<{ name: string }[]>(`${cell.baseUrl}/projects`, { method: 'GET', key: adminKey })).map(
    ({ name }) => name,
  );

const acceptedOf = ({ sent }: MarkedWrites) => sent.filter(({ status }) => status === 200).length;

/** Waits until so many more writes of each were accepted. */
async function moreAccepted(count: number, writes: readonly MarkedWrites[]): Promise<void> {
  const wanted = writes.map((each) => acceptedOf(each) + count);
  await until(
    `${count} more writes are accepted`,
    () => writes.every((each, at) => acceptedOf(each) >= (wanted[at] ?? 0)) || undefined,
    acceptMs,
  );
}

async function tokenOf({ url, key }: Project, groupRef: string): Promise<string> {
  const issuer = tokenIssuer();
  const body = { label: 'browser', algorithm: 'RS256', publicKeyPem: issuer.publicKeyPem };
  const { kid } = await call<{ kid: string }>(`${url}/jwt-keys`, { key, body });
  return issuer.issue(kid, { groupRef, consumerRef: 'anna' });
}

// docs/guides/cells.md.
(haproxy === undefined ? describe.skip : describe)('two cells behind HAProxy', () => {
  beforeAll(async () => {
    const portBase = await freePortBase();
    const at = (distance: number) => `http://127.0.0.1:${portBase + distance}`;
    cells = await startCells(at(100));
    const urls = { baseUrl: `${at(100)}/v1`, searchUrl: `${at(200)}/v1`, writeUrl: `${at(300)}/v1` };
    addresses = { portBase, adminKey, ...urls, sandboxUrl: cells.one.sandboxUrl };
    await route();
    router = await startRouter(haproxy ?? '', folder, portBase + 100);
  });
  afterAll(async () => {
    for (const writes of running) await writes.stop();
    await router?.stop();
    await Promise.all(Object.values(cells ?? {}).map((cell) => cell.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  it('makes a project in the cell that has room, and finds it there by whatever names it', async () => {
    const options = { provider: 'hubspot', read: ['contacts'], write: ['contacts'] } as const;
    const one = await createCustomer(addresses, options);
    expect(await route()).toMatch(/one +1 +1\ntwo +0 +9 +here\n[^]*The running router has the map\./);
    const two = await createCustomer(addresses, options);
    // The second is in no file yet: what nobody knows is in the cell that takes new ones.
    expect(await namesIn(cells.one)).toEqual([one.project.name]);
    expect(await namesIn(cells.two)).toEqual([two.project.name]);
    await route();
    customers = { one, two };

    for (const { project, groupRef, integrationId, ...customer } of [one, two]) {
      const { key, url, name, id } = project;
      const token = await tokenOf(project, groupRef);
      const bearer = { headers: { authorization: `Bearer ${token}` }, method: 'GET' };
      const byName = `${addresses.baseUrl}/projects/${name.toUpperCase()}`;
      expect(await call(url, bearer)).toMatchObject({ id });
      expect(await call(byName, bearer)).toMatchObject({ id });
      expect(await call(byName, { method: 'GET', key })).toMatchObject({ id });
      // Neither of these has the project in its path.
      expect(await call(`${addresses.baseUrl}/projects`, { method: 'GET', key })).toMatchObject([{ id }]);
      const headers = { authorization: `Bearer ${key}` };
      const upload = await call<{ url: string; bucket: string; path: string }>(
        `${addresses.baseUrl}/generate-upload-url`,
        { method: 'GET', headers },
      );
      expect(upload.url).toContain(new URL(addresses.baseUrl).origin);
      const manifest = { specVersion: '1.0.0', integrations: [{ name: 'zipped', provider: 'hubspot' }] };
      const body = new Uint8Array(zipOf([{ name: 'amp.yaml', content: JSON.stringify(manifest) }]));
      expect((await fetch(upload.url, { method: 'PUT', body })).status).toBe(200);
      const deployed = await call<{ name: string }[]>(`${url}/integrations:batch`, {
        method: 'PUT',
        key,
        body: { sourceZipUrl: `gs://${upload.bucket}/${upload.path}` },
      });
      expect(deployed.map((each) => each.name)).toContain('zipped');

      const record = { email: `${groupRef}@example.com`, lastname: 'Routed' };
      expect(await customer.write('contacts', { type: 'create', record })).toMatchObject({ status: 200 });
      expect((await customer.search('contacts', { email: record.email })).body.results).toHaveLength(1);
      const asynchronous = { type: 'create', mode: 'asynchronous', record: { lastname: 'Later' } };
      const { operationId } = (await customer.write('contacts', asynchronous)).body;
      expect(await customer.ended(operationId)).toMatchObject({ status: 'success', integrationId });
    }
    // A key is known in its own cell alone, whatever path it is sent to: another project is not found, as with one cell.
    const foreign = await ask(two.project.url, { method: 'GET', key: one.project.key });
    expect(foreign).toMatchObject({ status: 404, body: { code: 'project.not-found' } });
  });

  it('brings customers back from a provider to the cell in which they began', async () => {
    for (const [name, { project, groupRef }] of Object.entries(customers)) {
      const account = await createAccount(addresses, 'hubspot');
      const { clientId, clientSecret, provider } = account;
      const app = { provider, clientId, clientSecret, scopes: ['api', 'refresh_token'] };
      await call(`${project.url}/provider-apps`, { key: project.key, body: app });
      const token = await tokenOf(project, groupRef);
      for (const [member, authorization] of [
        ['projectId', `Bearer ${token}`],
        ['projectIdOrName', `Bearer ${token}`],
        ['projectIdOrName', `Bearer ${project.key}`],
      ] as const) {
        const reply = await fetch(`${addresses.baseUrl}/oauth-connect`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization },
          body: JSON.stringify({ [member]: project.id, provider, groupRef, consumerRef: 'anna' }),
        });
        const page = await reply.text();
        expect({ status: reply.status, page }).toMatchObject({ status: 200 });
        expect(new URL(page).searchParams.get('redirect_uri')).toBe(
          `${new URL(addresses.baseUrl).origin}/callbacks/v1/oauth`,
        );
        const { message } = await visit(await allow(page, account));
        expect([name, message]).toMatchObject([name, { eventType: 'AUTHORIZATION_SUCCEEDED' }]);
      }
      const connections = await call<Connection[]>(`${project.url}/connections`, { method: 'GET', key: project.key });
      expect(connections.map(({ providerWorkspaceRef }) => providerWorkspaceRef)).toContain(account.workspaceRef);
    }
  });

  // Those that are there when a second cell comes are all in the first.
  it('takes a key that an older version made, which names no project, for one of the first cell', async () => {
    const secret = `sk_${'o'.repeat(43)}`;
    const { id: projectId } = customers.one.project;
    const store = createStore({
      url: cells.one.databaseUrl,
      poolMax: 1,
      applicationName: 'cells',
      logger: silentLogger,
    });
    await store.apiKeys.create({ projectId, label: 'old', scopes: ['full'], secret });
    await store.close();
    const listed = await call(`${addresses.baseUrl}/projects`, { method: 'GET', key: secret });
    expect(listed).toMatchObject([{ id: projectId }]);
    expect(await call(customers.one.project.url, { method: 'GET', key: secret })).toMatchObject({ id: projectId });
  });

  it('loses and doubles nothing while the router is reloaded and a cell dies, and the other notices neither', async () => {
    const both = { one: startWrites('one', [customers.one], 3), two: startWrites('two', [customers.two], 3) };
    const writes = Object.values(both);
    running = writes;
    for (let times = 0; times < 3; times += 1) {
      await moreAccepted(10, writes);
      await router.reload();
    }
    await moreAccepted(10, writes);
    expect([...both.one.sent, ...both.two.sent].filter(isOfRouter)).toEqual([]);
    const diedAt = performance.now();
    await Promise.all(processes.map((name) => cells.two.processes.kill(name, 'SIGKILL')));
    await until('the router says that the cell is away', () =>
      both.two.sent.find(({ repliedAt, detail }) => repliedAt > diedAt && detail === isAway),
    );
    // The other goes on while there is nothing of this one.
    await moreAccepted(20, [both.one]);
    const startedAt = performance.now();
    await Promise.all(processes.map((name) => cells.two.processes.start(name)));
    const readyAt = performance.now();
    await moreAccepted(20, [both.two]);
    const [sentToOne, sentToTwo] = [await both.one.stop(), await both.two.stop()];
    const [one, two] = [await compareWrites(sentToOne), await compareWrites(sentToTwo)];
    const first = sentToTwo.find(({ repliedAt, status }) => repliedAt > startedAt && status === 200);
    const seconds = [readyAt, first?.repliedAt ?? Infinity].map((at) => ((at - startedAt) / 1_000).toFixed(1));
    process.stdout.write(`cells, the one that lived: ${countsOf(one)}\n`);
    process.stdout.write(
      `cells, the one that died: ${countsOf(two)}, accepts ${seconds[1]} s and is ready ${seconds[0]} s after its start\n`,
    );
    expect(sentToOne.filter(isOfRouter)).toEqual([]);
    expect(one).toMatchObject({ lost: [], unfinished: [], doubled: [] });
    expect(two).toMatchObject({ lost: [], unfinished: [], doubled: [] });
    expect(two.refused).toBeGreaterThan(0);
  });
});
