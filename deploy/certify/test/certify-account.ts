import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';

export interface Ended {
  readonly code: number | null;
  readonly text: string;
}

const objects: Readonly<Record<string, string>> = {
  hubspot: 'contacts companies',
  salesforce: 'Contact',
  pipedrive: 'persons',
  zendeskSupport: 'tickets',
  klaviyo: 'profiles',
  zoho: 'Leads',
  close: 'lead',
  freshdesk: 'contacts',
};
export const providers = Object.keys(objects);

let sandbox: RunningSandbox;
let dataDir: string;
let opened = 0;

/** A sandbox for a file of tests, and a folder of its own for each test. */
export function certifySuite() {
  beforeAll(async () => {
    sandbox = await createSandbox({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => sandbox.close());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sluice-certify-'));
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));
}

export const inDataDir = (...steps: string[]) => join(dataDir, ...steps);
export const unfinished = () => readdirSync(inDataDir('certify', 'unfinished'));
export const sandboxUrl = () => sandbox.url;

async function control<T>(path: string, body?: object): Promise<T> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`${sandbox.url}/_sandbox/${path}`, init)).json() as Promise<T>;
}

/** An account of the sandbox, and the command against it. */
export async function account(provider: string, settings: object = {}) {
  const name = `certify-${provider.toLowerCase()}-${(opened += 1)}`;
  const limits = provider === 'hubspot' ? { searchesPerSecond: 0 } : {};
  const { token } = await control<{ token: string }>('accounts', { name, provider, limits, ...settings });
  const access = { [tokenNameOf(provider)]: tokenOf(provider, token), [workspaceNameOf(provider)]: name };
  return {
    token,
    access,
    fault: (fault: object) => control('faults', { account: name, ...fault }),
    isFaultMet: async () => {
      const faults = await control<{ account: string; hits: number }[]>('faults');
      return faults.some((fault) => fault.account === name && fault.hits > 0);
    },
    clearFaults: () => fetch(`${sandbox.url}/_sandbox/faults?account=${name}`, { method: 'DELETE' }),
    expire: () => fetch(`${sandbox.url}/_sandbox/accounts/${name}/expire-token`, { method: 'POST' }),
    records: async () => {
      const names = (objects[provider] ?? '').split(' ');
      const lists = names.map((object) => control<unknown[]>(`records?account=${name}&object=${object}`));
      return (await Promise.all(lists)).flat();
    },
    calls: () => control<{ method: string; path: string; action: string }[]>(`ledger?account=${name}`),
    certify: (...more: string[]) => command(provider, access, ['--url', sandbox.url, ...more]),
  };
}

const capitals = (provider: string) => provider.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase();
export const tokenNameOf = (provider: string) => `${capitals(provider)}_ACCESS_TOKEN`;
const workspaceNameOf = (provider: string) => `${capitals(provider)}_WORKSPACE`;
const tokenOf = (provider: string, token: string) =>
  provider === 'zendeskSupport' ? Buffer.from(`ana@acme.test/token:${token}`).toString('base64') : token;

/** The command as a process of its own. */
export function command(provider: string, access: NodeJS.ProcessEnv, more: readonly string[]) {
  const args = [join(__dirname, '../../local/dist/index.js'), 'certify', provider, ...more];
  const env = { SLUICE_DATA_DIR: dataDir, ...access };
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, text }));
  return { child, ended };
}

export async function until(check: () => Promise<boolean>, boundMs: number): Promise<void> {
  const deadline = Date.now() + boundMs;
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`it did not come true within ${boundMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The one line that names the obstacle. */
export const hindranceIn = (text: string) => text.split('\n').filter((line) => line.startsWith('NOT CERTIFIED'));
