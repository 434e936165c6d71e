import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { createEmptyDatabase, type ClonedDatabase } from '@sluice/testkit';

interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a service's executable with this environment and nothing else, until it ends by itself. */
function run(service: string, env: Record<string, string>): Promise<Ending> {
  const executable = join(__dirname, '..', '..', 'services', service, 'dist', 'index.js');
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [executable], { env, timeout: 20_000, killSignal: 'SIGKILL' });
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => (said[name] += chunk.toString()));
    }
    child.on('close', (code) => resolve({ code, ...said }));
  });
}

const needs = {
  management: ['DATABASE_URL', 'SLUICE_CREDENTIALS_KEYS', 'SLUICE_ADMIN_KEY'],
  search: ['DATABASE_URL', 'REDIS_URL', 'SLUICE_CREDENTIALS_KEYS'],
  'write-gateway': ['DATABASE_URL', 'KAFKA_BROKERS', 'REDIS_URL', 'SLUICE_CREDENTIALS_KEYS'],
  batcher: ['DATABASE_URL', 'KAFKA_BROKERS'],
  executor: ['DATABASE_URL', 'KAFKA_BROKERS', 'REDIS_URL', 'SLUICE_CREDENTIALS_KEYS'],
};
const services = Object.entries(needs);

const given = readProcessEnv();
const settings: Record<string, string> = {
  KAFKA_BROKERS: given['KAFKA_BROKERS'] ?? '',
  REDIS_URL: given['REDIS_URL'] ?? '',
  SLUICE_CREDENTIALS_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  SLUICE_ADMIN_KEY: 'canary-admin-key-of-the-tests',
  SLUICE_PORT: '0',
};

// Issue, "Bad input": a service started without its settings stops with a list of what it lacks.
describe('without its settings', () => {
  it.each(services)('%s ends with 1 and lists all it lacks, with what each is for', async (service, names) => {
    const { code, stderr } = await run(service, {});
    expect(code).toBe(1);
    for (const name of names) expect(stderr).toMatch(new RegExp(`${name} is required.*\\(.+\\)`));
    expect(stderr.match(/is required/g)).toHaveLength(names.length);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  it.each(services)('%s without one of them names that one', async (service, names) => {
    const [lacking = ''] = names;
    const { code, stderr } = await run(service, { ...settings, [lacking]: '' });
    expect(code).toBe(1);
    expect(stderr).toContain(lacking);
    expect(stderr).not.toContain('canary');
  });

  it('a wrong value and a misspelt name are in the list too', async () => {
    const { code, stderr } = await run('executor', { SLUICE_PORT: 'abc', SLUICE_CONCURENCY: '3' });
    expect(code).toBe(1);
    expect(stderr).toContain('SLUICE_PORT=abc must be an integer');
    expect(stderr).toMatch(/SLUICE_CONCURENCY.*SLUICE_CONCURRENCY/);
  });
});

describe('on an unmigrated database', () => {
  let empty: ClonedDatabase;
  beforeAll(async () => {
    empty = await createEmptyDatabase();
  });
  afterAll(() => empty.drop());

  it.each(services)('%s ends with 1 and names the command', async (service) => {
    const { code, stderr } = await run(service, { ...settings, DATABASE_URL: empty.url });
    expect(code).toBe(1);
    expect(stderr).toContain('npm run migrate');
    expect(stderr).not.toMatch(/\n\s+at |canary/);
  });
});
