import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { childEnvironment, root, runChild, tool, workspaceNode } from './child.mjs';

// The tests that `npm test` has no part of: those of the fault matrix alone, of the images, of a cluster.

/** Why nothing could be tested, as a sentence. */
class NotRun extends Error {}

/**
 * A command of tests.
 * @param usage printed for a word or a value that is wrong
 * @param options as `parseArgs` of node:util takes them. One with `multiple` may be repeated and may name several at once, without duplicates:
 * `--row F3,F6 --row F9` is F3, F6 and F9
 * @param isRight whether the values can be
 * @param run returns the exit code
 */
function command({ usage, options, isRight, run }) {
  return async (args) => {
    const values = read(args, options);
    if (values === undefined || !isRight(values)) {
      process.stderr.write(`${usage}\n`);
      return 2;
    }
    try {
      return await run(values);
    } catch (error) {
      if (!(error instanceof NotRun)) throw error;
      process.stderr.write(`NOT RUN: ${error.message}\n`);
      return 1;
    }
  };
}

function read(args, options) {
  try {
    // pnpm hands on the dashes that npm takes away.
    const { values } = parseArgs({ args: args.filter((arg) => arg !== '--'), options });
    for (const [name, value] of Object.entries(values)) {
      if (options[name].multiple) values[name] = [...new Set(value.flatMap((text) => text.split(',')))];
    }
    return values;
  } catch {
    return undefined;
  }
}

function runJest(folder, env, ...more) {
  const config = join(root, 'tests', folder, 'jest.config.js');
  return runChild(workspaceNode, [tool('jest'), '-c', config, '--runInBand', ...more], { env });
}

/**
 * `npm run test:faults`: the rows of the fault matrix, all or some, at the size of `npm test` or at full size, on services of their own. Each prints
 * one JSON line; with `--full` it is also added to `tests/faults/results.jsonl`. 0 when every row held.
 */
export const runFaults = command({
  usage: 'usage: npm run test:faults -- [--full] [--row F3[,F6]]... [--seed 7]',
  options: {
    full: { type: 'boolean' },
    row: { type: 'string', multiple: true },
    seed: { type: 'string', default: '7' },
  },
  isRight: ({ seed }) => /^\d+$/.test(seed),
  run: ({ full, row, seed }) => {
    const chosen = { ...(full && { FAULTS_FULL: 'true' }), ...(row && { FAULTS_ROWS: row.join() }) };
    const env = { ...childEnvironment(), FAULTS_SEED: seed, ...chosen };
    return runJest('faults', env, '--testPathPatterns', 'faults/rows');
  },
});

/** Images of a version that is upgraded, and those of the newer one alone. */
const upgraded = ['migrate', 'management', 'search', 'write-gateway', 'batcher', 'executor'];
const tools = ['sandbox', 'crash-test'];
const everyTarget = [...upgraded, ...tools, 'sluice'];
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * `npm run test:images`: builds every image, checks its contents, runs each alone, then walks the tour against all of them. Linux, because of the
 * host's network. 0 when everything held.
 */
export const runImages = command({
  usage: `usage: npm run test:images -- [--offline] [--no-build] [--target executor[,search]]...
  --offline   podman on bases made from Debian packages, where no image registry can be reached (as root)
  --no-build  tests the images of package.json's version that are there`,
  options: {
    offline: { type: 'boolean' },
    'no-build': { type: 'boolean' },
    target: { type: 'string', multiple: true },
  },
  isRight: ({ target = [] }) => target.every((name) => everyTarget.includes(name)),
  run: async ({ offline, 'no-build': isBuilt, target }) => {
    const engine = findEngine(offline);
    // The migration prepares the database of every test.
    const targets = [...new Set(['migrate', ...(target ?? everyTarget)])];
    if (!isBuilt) await buildImages(engine, { targets, tag: version });
    const chosen = target && { IMAGES_TARGETS: target.join() };
    return runJest('images', { ...engine.env, IMAGES_ENGINE: engine.program, IMAGES_TAG: version, ...chosen });
  },
});

/**
 * `npm run test:cluster`, on the cluster that KUBECONFIG names. It runs install, helm test, upgrade and rollback under load, tour and crash test.
 * Then wrong key ring, reinstall, trial and uninstall. Exits with 0 when every step passed.
 */
export const runCluster = command({
  usage: `usage: npm run test:cluster -- --load COMMAND [--from REVISION] [--offline] [--no-build] [--rate 200] [--namespace sluice-test]
  --load       how an image archive (docker save) gets into the cluster; the file's name is added at the end:
                 kind      --load "kind load image-archive"
                 minikube  --load "minikube image load"
                 others    --load "ctr -n k8s.io images import"
                 none      the images are in the cluster already
  --from       the commit or tag of the version that is upgraded, whose images are built as well; without it they are made of this tree
  --offline    images on bases made from Debian packages, and stand-ins for the trial's Postgres, Redis and Kafka
  --no-build   takes the images that are there (both versions)
  --rate       writes per second during upgrade and rollback
  --namespace  is made, and deleted in the end`,
  options: {
    load: { type: 'string' },
    from: { type: 'string' },
    offline: { type: 'boolean' },
    'no-build': { type: 'boolean' },
    rate: { type: 'string', default: '200' },
    namespace: { type: 'string', default: 'sluice-test' },
  },
  isRight: ({ load, rate }) => load !== undefined && /^\d+$/.test(rate),
  run: async ({ load, from, offline, 'no-build': isBuilt, rate, namespace }) => {
    const { program, env: own } = findEngine(offline);
    // Where `npm run chart:tools` puts helm.
    const env = { ...own, PATH: `${own.PATH}:${join(root, '.sluice/tools')}` };
    const engine = { program, env, isOffline: offline };
    assertCluster(env);
    const revision = from && readRevision(from);
    const before = `${version}-before`;
    if (!isBuilt) {
      await buildImages(engine, { targets: [...upgraded, ...tools], tag: version });
      await buildBefore(engine, revision, { targets: upgraded, tag: before });
      // The trial's Postgres, Redis and Kafka, on the same Debian base as our images.
      const stoodIn = offline ? await runChild('sh', ['tests/cluster/stand-ins/build.sh'], { env }) : 0;
      if (stoodIn !== 0) return stoodIn;
    }
    return runJest('cluster', {
      ...env,
      IMAGES_ENGINE: program,
      IMAGES_TAG: version,
      CLUSTER_LOAD: load,
      CLUSTER_BEFORE: before,
      CLUSTER_BEFORE_NAME: revision ?? 'this tree, built again',
      CLUSTER_RATE: rate,
      CLUSTER_NAMESPACE: namespace,
      ...(offline && { CLUSTER_STAND_INS: 'true' }),
    });
  },
});

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
const baseline = 'libs/store/src/migrations/20261128T120000-baseline-of-0.3.0.ts';

/** The commit that a name stands for, shortened. */
function readRevision(name) {
  const { status, stdout } = git('rev-parse', '--verify', '--quiet', '--short', `${name}^{commit}`);
  if (status !== 0) throw new NotRun(`git knows no commit ${name} here`);
  const revision = stdout.trim();
  if (git('cat-file', '-e', `${revision}:${baseline}`).status === 0) return revision;
  throw new NotRun(`${revision} is before 0.3.0, and an upgrade from there stops all services`);
}

function assertCluster(env) {
  for (const program of ['kubectl', 'helm']) {
    const { error } = spawnSync(program, ['version', '--client'], { env, stdio: 'ignore', timeout: 30_000 });
    if (error) throw new NotRun(`${program} is not on PATH (npm run chart:tools makes helm, with Go)`);
  }
  const config = env.KUBECONFIG ?? join(homedir(), '.kube', 'config');
  if (!existsSync(config)) throw new NotRun('KUBECONFIG names no file, so there is no cluster to test on');
  const asked = spawnSync('kubectl', ['get', '--raw', '/readyz'], { env, encoding: 'utf8', timeout: 30_000 });
  if (asked.status !== 0) throw new NotRun(`the cluster does not answer: ${asked.stderr}`);
}

/** Docker, or podman: the first that answers. Offline with settings for podman without systemd, as docker/build-offline.sh has them. */
function findEngine(isOffline) {
  const offline = isOffline && { CONTAINERS_CONF: join(root, 'docker/containers.conf') };
  const env = { ...offline, ...childEnvironment() };
  const answers = (program) => spawnSync(program, ['info'], { env, stdio: 'ignore', timeout: 30_000 }).status === 0;
  const program = ['docker', 'podman'].find(answers);
  if (program !== undefined) return { program, env, isOffline };
  throw new NotRun(
    'neither docker nor podman answers. Install one (Debian: apt-get install -y podman buildah runc netavark aardvark-dns iptables), or start it.',
  );
}

/** The version before: files of its commit, built by its own Dockerfile. Without a commit, this tree. */
async function buildBefore(engine, revision, options) {
  if (revision === undefined) return buildImages(engine, options);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-before-'));
  try {
    const tar = `git archive ${revision} | tar -x -C "${folder}"`;
    const { status, stderr } = spawnSync('sh', ['-c', tar], { cwd: root, encoding: 'utf8' });
    if (status !== 0) throw new NotRun(`the files of ${revision} cannot be had: ${stderr}`);
    await buildImages(engine, { ...options, folder, revision });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Builds images as `localhost/sluice/<target>:<tag>`, offline on bases made from Debian's packages.
 * @param options.folder of the files they are made of, with the commit that these are. @default this checkout and its commit
 */
async function buildImages({ program, env, isOffline }, options) {
  const { targets, tag, folder = root, revision = git('rev-parse', 'HEAD').stdout.trim() || 'unknown' } = options;
  if (isOffline) {
    const own = { ...env, TAG: tag, REVISION: revision };
    const code = await runChild('sh', [join(folder, 'docker/build-offline.sh'), ...targets], { env: own });
    if (code !== 0) throw new NotRun(`docker/build-offline.sh ended with ${code}`);
    return;
  }
  const labels = ['--build-arg', `VERSION=${tag}`, '--build-arg', `REVISION=${revision}`];
  if (program === 'podman') {
    // It takes the labels of another version from its cache.
    const label = (name, value) => ['--label', `org.opencontainers.image.${name}=${value}`];
    labels.push('--format', 'docker', ...label('version', tag), ...label('revision', revision));
  }
  for (const target of targets) {
    const name = `localhost/sluice/${target}:${tag}`;
    process.stderr.write(`== ${name}\n`);
    const args = ['build', '--file', 'docker/Dockerfile', '--target', target, '--tag', name, ...labels, '.'];
    const built = spawnSync(program, args, {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: 30 * 60_000,
    });
    if (built.status === 0) continue;
    process.stderr.write(`${built.stdout}${built.stderr}`.split('\n').slice(-40).join('\n'));
    throw new NotRun('no registry? --offline builds the bases from Debian packages (as root, with podman).');
  }
}
