import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDataDir } from './launcher';

const local = join(__dirname, '..');

/** Runs a small ES module in a Node of its own, as nothing of the bootstrap can be loaded into jest. */
function runModule(code: string, env: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, ['--input-type=module', '-e', code], { cwd: local, env, stdio: 'pipe' });
}

async function outcome(child: ReturnType<typeof runModule>): Promise<{ code: number | null; output: string }> {
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

describe('the bootstrap', () => {
  it('names its commands when it is given another', async () => {
    const child = spawn(process.execPath, [join(local, 'bootstrap.mjs'), 'strat'], { stdio: 'pipe' });
    const { code, output } = await outcome(child);
    expect(code).toBe(2);
    expect(output).toMatch(/<test\|test-full\|check\|.*\|start\|dev\|/);
  });

  it('says what to use in place of a command of an earlier version', async () => {
    const child = spawn(process.execPath, [join(local, 'bootstrap.mjs'), 'trace'], { stdio: 'pipe' });
    const { code, output } = await outcome(child);
    expect(code).toBe(2);
    expect(output).toMatch(/^npm run trace is gone: deploy\/compose with observe\.yaml .*\n$/);
  });

  // An install with an old Node ends somewhere within npm, with words about a function that nobody has called.
  it('says which Node it needs before it installs anything', async () => {
    const code = `Object.defineProperty(process.versions, 'node', { value: '18.20.8' });
      process.argv = ['node', 'bootstrap.mjs', 'start'];
      await import('./bootstrap.mjs');`;
    const { code: exitCode, output } = await outcome(runModule(code));
    expect(exitCode).toBe(2);
    expect(output).toMatch(/^Sluice is installed and started with Node 20 or later\. This is Node 18\.20\.8, of /);
    expect(output).not.toContain('Installing');
  });
});

// What is named a second time and silently left out would be taken for tested.
describe('an option that is repeated', () => {
  const run = (what: string, ...words: readonly string[]) =>
    outcome(
      runModule(`import { ${what} } from './bootstrap/test-elsewhere.mjs';
        process.exitCode = await ${what}(${JSON.stringify(words)});`),
    );

  it('adds up: every row of the fault matrix that was asked for', async () => {
    // Rows that do not exist are named, and none runs.
    const { code, output } = await run('runFaults', '--row', 'F97,F98', '--row', 'F99', '--row=F97');
    expect(code).toBe(1);
    expect(output.match(/"F\d+"/g)).toEqual(['"F97"', '"F98"', '"F99"']);
  });

  it('adds up: a wrong image is refused in any position', async () => {
    const { code, output } = await run('runImages', '--target', 'exekutor', '--target', 'executor');
    expect(code).toBe(2);
    expect(output).toMatch(/usage: npm run test:images/);
  });
});

// A word that jest does not know would fail every suite, after the services have started.
describe('the tests', () => {
  const run = (tier: string, words: readonly string[], env?: NodeJS.ProcessEnv) =>
    outcome(
      runModule(
        `import { runTests } from './bootstrap/test.mjs';
        process.exitCode = await runTests(${JSON.stringify(tier)}, ${JSON.stringify(words)});`,
        env,
      ),
    );

  it.each([
    ['guard', '--wrokers', 'usage: npm test'],
    ['guard', '--seed=x', 'usage: npm test'],
    ['full', '--shard=5/4', 'usage: npm run test:full'],
    ['full', 'libs/store', 'usage: npm run test:full'],
  ])('of tier %s refuse %s, and start nothing', async (tier, word, usage) => {
    const { code, output } = await run(tier, [word]);
    expect(code).toBe(2);
    expect(output.startsWith(usage)).toBe(true);
  });

  describe('on a machine without Redis', () => {
    const folder = makeDataDir();
    afterAll(() => folder.remove());
    // Postgres is started as the system user `postgres`, which this program finds.
    symlinkSync('/usr/bin/id', join(folder.path, 'id'));
    const aptGet = join(folder.path, 'apt-get');
    writeFileSync(aptGet, '#!/bin/sh\necho no right to install; exit 100\n');
    chmodSync(aptGet, 0o755);

    // As root the second asks the package manager, as another user neither does.
    it.each([
      ['that may not install', { SLUICE_NO_INSTALL: '1' }, /, or run as root on Debian without SLUICE_NO_INSTALL, /],
      ['whose package manager refuses', {}, /\(Debian: apt-get install redis-tools\)/],
    ])('%s: say in one sentence what to do, end with 2 and leave nothing running', async (_name, env, way) => {
      const own = { PATH: folder.path, SLUICE_DATA_DIR: folder.path, KAFKA_BROKERS: 'given:1', ...env };
      const { code, output } = await run('guard', ['deploy/stack/src/folder-lock'], own);
      const lines = output.trimEnd().split('\n');
      expect({ code, output }).toMatchObject({ code: 2 });
      expect(lines.at(-1)).toMatch(/^Redis cannot be started on this machine: set REDIS_URL to [^.]*\.$/);
      expect(lines.at(-1)).toMatch(way);
      expect(output).toContain('postgres: stopped');
      const state = JSON.parse(readFileSync(join(folder.path, 'stack', 'stack.json'), 'utf8')) as object;
      expect(state).toMatchObject({ services: {}, holders: [] });
    });
  });
});

describe('the environment of a child', () => {
  const env = {
    npm_config_registry: 'https://registry.example/',
    'npm_config_@scope:registry': 'https://scope.example/',
    npm_config_local_prefix: '/elsewhere',
    npm_config_once: 'true',
    npm_lifecycle_event: 'start',
    npm_package_name: 'sluice',
    NODE_PATH: '/pnpm',
    DATABASE_URL: 'postgres://db',
    PATH: '/bin',
  };

  it('loses what npm adds and keeps the way to the registry', async () => {
    const code = `import { plainEnvironment } from './bootstrap/child.mjs'; console.log(JSON.stringify(plainEnvironment()));`;
    const { output } = await outcome(runModule(code, env));
    expect(JSON.parse(output)).toEqual({
      npm_config_registry: env.npm_config_registry,
      'npm_config_@scope:registry': env['npm_config_@scope:registry'],
      DATABASE_URL: env.DATABASE_URL,
      PATH: env.PATH,
    });
  });
});

describe('runChild', () => {
  const run = (program: string) => `import { runChild } from './bootstrap/child.mjs';
    process.exitCode = await runChild(process.execPath, ['-e', ${JSON.stringify(program)}]);`;

  it('ends with the exit code of the child', async () => {
    expect((await outcome(runModule(run('process.exit(7)')))).code).toBe(7);
  });

  it('ends with 128 and the number of the signal that killed the child', async () => {
    expect((await outcome(runModule(run('process.kill(process.pid, "SIGKILL")')))).code).toBe(137);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('hands %s on to the child and waits for its end', async (signal) => {
    const child = runModule(
      run(
        `process.on(${JSON.stringify(signal)}, () => process.exit(9)); setTimeout(() => {}, 60_000); console.log('up')`,
      ),
    );
    await once(child.stdout, 'data');
    child.kill(signal);
    expect((await outcome(child)).code).toBe(9);
  });
});
