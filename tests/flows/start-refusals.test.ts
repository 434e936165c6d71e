import { spawn } from 'node:child_process';
import { createCipheriv, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { openDatabase } from '@sluice/store';
import { cloneDatabase, createEmptyDatabase, startTcpProxy, until, type ClonedDatabase } from '@sluice/testkit';

interface Ending {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const executableOf = (service: string): string => join(__dirname, '..', '..', 'services', service, 'dist', 'index.js');

/** Runs a service's executable with this environment and nothing else, until it ends by itself. */
function run(service: string, env: Record<string, string>): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [executableOf(service)], { env, timeout: 300_000, killSignal: 'SIGKILL' });
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
  SLUICE_METRICS_PORT: '0',
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

  it.each(services.slice(-2))('%s: every problem at once, of every kind, and no secret', async (service, names) => {
    const wrong = { SLUICE_PORT: '70000', SLUICE_LOG_LEVEL: 'loud', SLUICE_LOGLEVEL: 'info', SLUICE_FROBNICATE: '1' };
    const { code, stderr } = await run(service, { ...wrong, SLUICE_CREDENTIALS_KEYS: 'k1:canary-that-is-no-key' });
    expect(code).toBe(1);
    expect(stderr).toContain('SLUICE_PORT=70000 must be an integer from 0 to 65535');
    expect(stderr).toContain('SLUICE_LOG_LEVEL=loud');
    expect(stderr).toMatch(/SLUICE_LOGLEVEL=?\S* is not a setting; did you mean SLUICE_LOG_LEVEL\?/);
    expect(stderr).toContain('SLUICE_FROBNICATE is not a setting of any service');
    const hasRing = names.includes('SLUICE_CREDENTIALS_KEYS');
    expect(stderr.includes('SLUICE_CREDENTIALS_KEYS')).toBe(hasRing);
    expect(stderr.match(/is required/g)).toHaveLength(names.length - (hasRing ? 1 : 0));
    expect(stderr).not.toContain('canary');
  });
});

// Known of old: the raw sentence of the pool, "Knex: Timeout acquiring a connection", and a stack.
describe('without its database', () => {
  const atOnce = { ...settings, SLUICE_DATABASE_WAIT_MS: '0' };

  it('a service ends with 1 and one sentence that names the server, and what to do', async () => {
    const url = 'postgres://anna:canary-password@127.0.0.1:1/sluice';
    const { code, stderr } = await run('batcher', { ...atOnce, DATABASE_URL: url });
    expect(code).toBe(1);
    expect(stderr.trim().split('\n')).toEqual([
      'The database sluice at 127.0.0.1:1 does not answer (ECONNREFUSED).',
      expect.stringMatching(/^Check DATABASE_URL, /),
    ]);
  });

  it('one that does not let the user in, and one that is not there, are named as such', async () => {
    const url = new URL(given['DATABASE_URL'] ?? '');
    url.pathname = '/nobody_made_this';
    const absent = await run('search', { ...settings, DATABASE_URL: url.toString() });
    expect([absent.code, absent.stderr]).toEqual([
      1,
      expect.stringMatching(/^The database nobody_made_this .+ does not exist\.\n/),
    ]);
    // No waiting heals it, so nobody waited.
    expect(absent.stdout).not.toContain('database.awaited');
    url.password = 'canary-password';
    const refused = await run('search', { ...settings, DATABASE_URL: url.toString() });
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringMatching(/refuses the user \S+\.\nCheck user and password/),
    ]);
    expect(refused.stderr).not.toContain('canary');
    expect(refused.stdout).not.toContain('database.awaited');
  });

  it('one that takes connections and says nothing is given up after seconds', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const { code, stderr } = await run('write-gateway', {
      ...atOnce,
      DATABASE_URL: `postgres://anna@127.0.0.1:${port}/sluice`,
    });
    silent.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^The database sluice at \S+ gave no connection within 2 s: it is busy, or cannot be reached\.\n/,
    );
    expect(stderr).not.toMatch(/Knex|\n\s+at /);
  });
});

// Seen on a busy node, and after a restart of the database: processes that gave up at once started over and over.
describe('before its database is there', () => {
  it('a service says what it waits for, and starts as soon as it answers', async () => {
    const clone = await cloneDatabase();
    const wire = await startTcpProxy(clone.url);
    wire.cut();
    const child = spawn(process.execPath, [executableOf('search')], { env: { ...settings, DATABASE_URL: wire.url } });
    const ended = once(child, 'close');
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const line = (event: string) => until(event, () => said.split('\n').find((one) => one.includes(event)));
    try {
      expect(await line('database.awaited')).toMatch(/does not answer \(ECONNREFUSED\)/);
      await wire.mend();
      await line('service.started');
      child.kill('SIGTERM');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGKILL');
      wire.close();
      await clone.drop();
    }
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

// Found later, a wrong ring is a failed write of each customer.
describe('with a key ring that is not the one of its database', () => {
  const withRing = services.filter(([, names]) => names.includes('SLUICE_CREDENTIALS_KEYS'));
  let sealed: ClonedDatabase;
  beforeAll(async () => {
    sealed = await cloneDatabase();
    const database = openDatabase({ url: sealed.url, poolMax: 1, applicationName: 'start-refusals' });
    await database('connections').insert([
      connectionRow('c-1', sealedBy('k1', 'c-1')),
      connectionRow('c-2', 'altered'),
    ]);
    await database.destroy();
  });
  afterAll(() => sealed.drop());

  const keyRingOf = (id: string, byte: number) => `${id}:${Buffer.alloc(32, byte).toString('base64')}`;
  const start = (service: string, ring: string) =>
    run(service, { ...settings, DATABASE_URL: sealed.url, SLUICE_CREDENTIALS_KEYS: ring });

  it.each(withRing)('%s ends with 1 before it listens, and names the key that is missing', async (service) => {
    const { code, stdout, stderr } = await start(service, keyRingOf('k2', 2));
    expect(code).toBe(1);
    expect(stderr).toContain('2 connections are sealed with the key "k1", which the ring lacks.');
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(stdout).not.toContain('http.listening');
  });

  it('a key of the same name with other bytes is noticed', async () => {
    const { code, stdout, stderr } = await start('executor', `${keyRingOf('k1', 9)},${keyRingOf('k2', 2)}`);
    expect(code).toBe(1);
    expect(stderr).toContain('2 connections are sealed with a key "k1" that is not the ring\'s "k1".');
    expect(stdout).not.toContain('http.listening');
  });
});

/** As `libs/installations` seals. */
function sealedBy(keyId: string, connectionId: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', Buffer.alloc(32, 1), iv);
  cipher.setAAD(Buffer.from(`v1.${keyId}.${connectionId}`));
  const text = Buffer.concat([cipher.update('{"accessToken":"t"}'), cipher.final()]);
  return ['v1', keyId, ...[iv, cipher.getAuthTag(), text].map((part) => part.toString('base64url'))].join('.');
}

function connectionRow(id: string, text: string): object {
  const names = { project_id: 'p', id, provider: 'hubspot', group_ref: id, consumer_ref: 'c', lane_id: 'l' };
  return { ...names, auth_scheme: 'apiKey', sealed_credentials: text, seal_key_id: 'k1' };
}
