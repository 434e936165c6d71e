import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import { endProcess, isRunning, type ProcessIdentity } from './processes';
import { releaseStack, startStack } from './stack';
import { readState, type ServiceName } from './stack-state';

/** Nothing given, so that the starter has to do it. */
const bareEnv = { ...readProcessEnv(), DATABASE_URL: '', REDIS_URL: '', KAFKA_BROKERS: '' };

// A busy machine takes its time to start a Postgres.
jest.setTimeout(300_000);

describe('the native starter', () => {
  let dataDir: string;
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  const start = (want: readonly ServiceName[]) => startStack({ dataDir, want, log, env: bareEnv });

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'sluice-stack-'));
    lines.length = 0;
  });

  afterEach(async () => {
    await releaseStack(dataDir, log, 'all');
    const { postgresHome } = readState(dataDir);
    for (const folder of [dataDir, postgresHome]) {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  });

  it('takes given addresses as they are and starts nothing', async () => {
    const env = { DATABASE_URL: 'postgres://db/x', REDIS_URL: 'redis://cache', KAFKA_BROKERS: 'a:9092,b:9092' };
    const never = join(dataDir, 'never-made');
    const stack = await startStack({ dataDir: never, want: ['postgres', 'redis', 'kafka'], log, env });
    expect(stack).toMatchObject({
      databaseUrl: 'postgres://db/x',
      redisUrl: 'redis://cache',
      kafkaBrokers: 'a:9092,b:9092',
    });
    await stack.stop();
    expect(existsSync(never)).toBe(false);
  });

  // A folder of mkdtemp is private: as root this is the case where Postgres cannot live in it.
  it('starts in a private folder, once for all who come at the same time, and ends with the last of them', async () => {
    const [first, second] = await Promise.all([start(['postgres', 'redis']), start(['postgres', 'redis'])]);
    expect(second.databaseUrl).toBe(first.databaseUrl);
    expect(lines.filter((line) => line.startsWith('postgres: started'))).toHaveLength(1);
    expect(lines.filter((line) => line.startsWith('postgres: runs already'))).toHaveLength(1);
    const postgres = processOf(dataDir, 'postgres');
    await first.stop();
    expect(isRunning(postgres)).toBe(true);
    await second.stop();
    expect(isRunning(postgres)).toBe(false);
    expect(readState(dataDir).services).toEqual({});
  });

  it('takes over what a killed process left running', async () => {
    const left = await startInChildAndKillIt(dataDir);
    const stack = await start(['postgres', 'redis']);
    expect(lines.filter((line) => line.includes('runs already'))).toHaveLength(2);
    expect([stack.databaseUrl, stack.redisUrl]).toEqual(left);
    await stack.stop();
    expect(readState(dataDir).services).toEqual({});
  });

  it('takes over a Postgres that nobody remembers', async () => {
    chmodSync(dataDir, 0o755);
    const before = await start(['postgres']);
    const postgres = processOf(dataDir, 'postgres');
    rmSync(join(dataDir, 'stack.json'));
    const stack = await start(['postgres']);
    expect(stack.databaseUrl).toBe(before.databaseUrl);
    expect(processOf(dataDir, 'postgres')).toEqual(postgres);
  });

  it('starts anew what was killed, on the same data', async () => {
    const before = await start(['postgres', 'redis']);
    await Promise.all(
      (['postgres', 'redis'] as const).map((name) => endProcess(processOf(dataDir, name), ['SIGKILL'], 5_000)),
    );
    const stack = await start(['postgres', 'redis']);
    expect(stack.databaseUrl).toBe(before.databaseUrl);
    expect(lines.filter((line) => line.startsWith('postgres: started'))).toHaveLength(2);
  });

  it('goes to another port when somebody took the one it had', async () => {
    const before = await start(['redis']);
    await before.stop();
    const port = Number(new URL(before.redisUrl ?? '').port);
    const stranger = createServer().listen(port, '127.0.0.1');
    await once(stranger, 'listening');
    const stack = await start(['redis']);
    expect(stack.redisUrl).not.toBe(before.redisUrl);
    stranger.close();
  });
});

function processOf(dataDir: string, name: ServiceName): ProcessIdentity {
  const runtime = readState(dataDir).services[name]?.runtime;
  if (runtime?.origin !== 'program') throw new Error(`${name} does not run as a program`);
  return runtime.process;
}

/** @returns the addresses that the child had */
async function startInChildAndKillIt(dataDir: string): Promise<unknown> {
  const script = `
    const { startStack } = require(${JSON.stringify(join(__dirname, '../dist/index.js'))});
    startStack({ dataDir: ${JSON.stringify(dataDir)}, want: ['postgres', 'redis'], log: () => {} }).then((stack) => {
      process.stdout.write(JSON.stringify([stack.databaseUrl, stack.redisUrl]));
      setInterval(() => {}, 60_000);
    });`;
  const child = spawn(process.execPath, ['-e', script], { env: bareEnv, stdio: ['ignore', 'pipe', 'inherit'] });
  const [answer] = (await once(child.stdout, 'data')) as [Buffer];
  child.kill('SIGKILL');
  await once(child, 'close');
  return JSON.parse(answer.toString());
}
