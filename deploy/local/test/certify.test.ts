import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';

let sandbox: RunningSandbox;
let dataDir: string;
beforeAll(async () => {
  sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'sluice-certify-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

type Provider = 'hubspot' | 'salesforce';
const objects = { hubspot: 'contacts', salesforce: 'Contact' };
let opened = 0;

async function control<T>(path: string, body?: object): Promise<T> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`${sandbox.url}/_sandbox/${path}`, init)).json() as Promise<T>;
}

/** An account of the sandbox, and the command against it. */
async function account(provider: Provider) {
  const name = `certify-${(opened += 1)}`;
  const limits = provider === 'hubspot' ? { limits: { searchesPerSecond: 0 } } : {};
  const { token } = await control<{ token: string }>('accounts', { name, provider, ...limits });
  return {
    token,
    fault: (fault: object) => control('faults', { account: name, ...fault }),
    isFaultMet: async () => {
      const faults = await control<{ account: string; seen: number }[]>('faults');
      return faults.some((fault) => fault.account === name && fault.seen > 0);
    },
    clearFaults: () => fetch(`${sandbox.url}/_sandbox/faults?account=${name}`, { method: 'DELETE' }),
    records: () => control<unknown[]>(`records?account=${name}&object=${objects[provider]}`),
    calls: () => control<{ path: string }[]>(`ledger?account=${name}`),
    certify: (...more: string[]) => command(provider, { token, workspace: name }, more),
  };
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function command(provider: Provider, access: { token: string; workspace: string }, more: readonly string[]) {
  const args = [join(__dirname, '../dist/index.js'), 'certify', provider, '--url', sandbox.url, ...more];
  const env = {
    SLUICE_DATA_DIR: dataDir,
    [`${provider.toUpperCase()}_ACCESS_TOKEN`]: access.token,
    SALESFORCE_WORKSPACE: access.workspace,
  };
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, text }));
  return { child, ended };
}

async function until(check: () => Promise<boolean>, boundMs: number): Promise<void> {
  const deadline = Date.now() + boundMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`it did not come true within ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const unfinished = () => readdirSync(join(dataDir, 'certify', 'unfinished'));

it.each(['hubspot', 'salesforce'] as const)(
  '%s: as we say, nothing left, and a recording without the token',
  async (provider) => {
    const customer = await account(provider);
    const file = join(dataDir, 'out.json');
    const { code, text } = await customer.certify('--out', file).ended;
    expect(text).toMatch(/\n\d+ ok, 0 differ, \d not tried\nnothing is left in the account\n/);
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
    expect(unfinished()).toEqual([]);
    for (const seen of [text, readFileSync(file, 'utf8')]) expect(seen).not.toContain(customer.token);
  },
  60_000,
);

describe('stopped half way', () => {
  /** Runs until three records are there and the search hangs. */
  async function untilHalf() {
    const customer = await account('hubspot');
    await customer.fault({
      match: { path: '^/crm/v3/objects/contacts/search$' },
      action: { kind: 'slow', delayMs: 4_000 },
    });
    const running = customer.certify();
    await until(() => customer.isFaultMet(), 30_000);
    return { customer, running };
  }

  it('killed: the next run removes what it left, by its marks, and says so', async () => {
    const { customer, running } = await untilHalf();
    running.child.kill('SIGKILL');
    await running.ended;
    expect(await customer.records()).toHaveLength(3);
    expect(unfinished()).toHaveLength(1);
    const { code, text } = await customer.certify('--clean').ended;
    expect(text).toMatch(/^the run sluice-certify-\S+ had not come to its end: what it left is removed\n$/);
    expect(code).toBe(0);
    expect(await customer.records()).toEqual([]);
    expect(unfinished()).toEqual([]);
  }, 60_000);

  it('Ctrl-C: it cleans up before it goes', async () => {
    const { customer, running } = await untilHalf();
    running.child.kill('SIGINT');
    const { code, text } = await running.ended;
    expect(text).toContain('interrupted: the rest was not tried\nnothing is left in the account');
    expect(code).toBe(130);
    expect(await customer.records()).toEqual([]);
  }, 60_000);

  it('the provider is gone: what may be left is said, and the next run removes it', async () => {
    const customer = await account('hubspot');
    const match = { path: '^/crm/v3/objects/contacts/(search|\\d+|batch/read)$', nth: 9 };
    await customer.fault({ match, times: 0, action: { kind: 'status', status: 400, body: '' } });
    const first = await customer.certify().ended;
    expect(first.text).toContain('LEFT IN THE ACCOUNT: ');
    expect(first.code).toBe(1);
    expect(unfinished()).toHaveLength(1);
    await customer.clearFaults();
    const { code } = await customer.certify('--clean').ended;
    expect([code, await customer.records(), unfinished()]).toEqual([0, [], []]);
  }, 60_000);
});

it('an account that does something else: it differs, exit code 1, and nothing is left', async () => {
  const customer = await account('hubspot');
  const body = { status: 'error', message: 'no updates here', category: 'VALIDATION_ERROR' };
  await customer.fault({ match: { method: 'PATCH' }, action: { kind: 'status', status: 400, body } });
  const { code, text } = await customer.certify().ended;
  expect(text).toMatch(/^update +the field that was sent, and no other +rejected: no updates here +differs$/m);
  expect(code).toBe(1);
  expect(await customer.records()).toEqual([]);
}, 60_000);

it('says what is missing, and calls nobody', async () => {
  const customer = await account('hubspot');
  const before = (await customer.calls()).length;
  const { code, text } = await command('hubspot', { token: ' ', workspace: '' }, []).ended;
  expect([code, text.split('\n')[0]]).toEqual([2, 'HUBSPOT_ACCESS_TOKEN: not set.']);
  expect((await customer.calls()).length).toBe(before);
}, 30_000);
