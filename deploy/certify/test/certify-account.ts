import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Fixture, fixtures } from '@sluice/connectors/conformance';
import { createSandbox, type RunningSandbox } from '@sluice/sandbox';
import { type CertificationRequest, runCertification } from '../src/run-certification';

/** How far the index of a HubSpot account is behind, in milliseconds. */
export const searchLagMs = 300;

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

async function control<T>(path: string, body?: object): Promise<T> {
  const init = body && { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  return (await fetch(`${sandbox.url}/_sandbox/${path}`, init)).json() as Promise<T>;
}

/** A certification in this process. @returns its exit code, and what it printed */
export async function certify(provider: string, asked: Partial<CertificationRequest>) {
  const lines: string[] = [];
  const code = await runCertification({
    provider,
    leave: false,
    cleanOnly: false,
    words: {},
    providersDir: undefined,
    env: {},
    folder: inDataDir('certify'),
    signal: new AbortController().signal,
    say: (line) => lines.push(line),
    onStep: () => undefined,
    ...asked,
  });
  return { code, text: `${lines.join('\n')}\n` };
}

/** An account of the sandbox, and certifications of it. */
export async function account(provider: string) {
  const name = `certify-${provider.toLowerCase()}-${(opened += 1)}`;
  const limits = provider === 'hubspot' ? { perTenSeconds: 0, searchesPerSecond: 0 } : {};
  const index = provider === 'hubspot' ? { searchLagMs } : {};
  const { token } = await control<{ token: string }>('accounts', { name, provider, limits, ...index });
  const env = { [tokenNameOf(provider)]: token, [tokenNameOf(provider, 'WORKSPACE')]: name };
  return {
    name,
    token,
    fault: (fault: object) => control('faults', { account: name, ...fault }),
    isFaultMet: async () => {
      const faults = await control<{ account: string; hits: number }[]>('faults');
      return faults.some((fault) => fault.account === name && fault.hits > 0);
    },
    clearFaults: () => fetch(`${sandbox.url}/_sandbox/faults?account=${name}`, { method: 'DELETE' }),
    records: async () => {
      const { objectName, link } = fixtures.get(provider) as Fixture;
      const objects = [objectName, ...(link ? [link.object.objectName] : [])];
      const lists = objects.map((object) => control<{ id: string }[]>(`records?account=${name}&object=${object}`));
      return (await Promise.all(lists)).flat();
    },
    certify: (asked: Partial<CertificationRequest> = {}) => certify(provider, { url: sandbox.url, env, ...asked }),
    start: (...more: string[]) => command([provider, '--url', sandbox.url, ...more], env),
  };
}

export const tokenNameOf = (provider: string, what = 'ACCESS_TOKEN') =>
  `${provider.replace(/([a-z])([A-Z])/g, '$1_$2').toUpperCase()}_${what}`;

/** The command as a process of its own. */
export function command(given: readonly string[], access: NodeJS.ProcessEnv = {}) {
  const args = [join(__dirname, '../../local/dist/index.js'), 'certify', ...given];
  const env = { SLUICE_DATA_DIR: dataDir, ...access };
  const child: ChildProcess = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, text }));
  return { child, ended };
}
