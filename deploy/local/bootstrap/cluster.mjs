import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildImages, findEngine, withOfflineSettings } from './container-engine.mjs';
import { root, tool, workspaceNode } from './paths.mjs';
import { readOptions } from './read-options.mjs';
import { runChild } from './run-child.mjs';

const usage = `usage: npm run test:cluster -- --load COMMAND [--from REVISION] [--offline] [--no-build] [--rate 200] [--namespace sluice-test]
  --load       how an image archive (docker save) gets into the cluster; the file's name is added at the end:
                 kind      --load "kind load image-archive"
                 minikube  --load "minikube image load"
                 others    --load "ctr -n k8s.io images import"
                 none      the images are in the cluster already
  --from       the commit or tag of the version that is upgraded, whose images are built as well; without it they are made of this tree
  --offline    images on bases made from Debian packages, and stand-ins for the trial's Postgres, Redis and Kafka
  --no-build   takes the images that are there (both versions)
  --rate       writes per second during upgrade and rollback
  --namespace  is made, and deleted in the end`;

/** Images of both versions, and those of the newer one alone. */
const upgraded = ['migrate', 'management', 'search', 'write-gateway', 'batcher', 'executor'];
const tools = ['sandbox', 'crash-test'];

/** Programs that are not ours. */
const programs = ['kubectl', 'helm'];
/** Where `npm run chart:tools` puts helm. */
const ownTools = join(root, '.sluice', 'tools');
/** A checkout's files, and as much again. */
const archiveBytes = 512 * 1024 * 1024;

/**
 * `npm run test:cluster`: install, helm test, upgrade and rollback under load, tour, crash test, wrong key ring, reinstall, trial, uninstall, on the
 * cluster that KUBECONFIG names.
 * @returns 0 when everything held; 1 also when something that it needs is missing
 */
export async function runCluster(args) {
  const choice = readChoice(args);
  if (choice === undefined) {
    process.stderr.write(`${usage}\n`);
    return 2;
  }
  const found = findEngine();
  if (found === undefined) return 1;
  const engine = choice.offline ? withOfflineSettings(found) : found;
  const env = { ...engine.env, PATH: `${engine.env.PATH}:${ownTools}` };
  const missing = whatIsMissing(env);
  if (missing !== undefined) {
    process.stderr.write(`NOT RUN: ${missing}\n`);
    return 1;
  }
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const before = { tag: `${version}-before`, revision: readRevision(choice.from) };
  if (choice.from !== undefined && before.revision === undefined) {
    process.stderr.write(`NOT RUN: git knows no commit ${String(choice.from)} here\n`);
    return 1;
  }
  if (before.revision !== undefined && !hasBaseline(before.revision)) {
    process.stderr.write(`NOT RUN: ${before.revision} is before 0.3.0, and an upgrade from there stops all services\n`);
    return 1;
  }
  if (!choice['no-build']) {
    const options = { isOffline: choice.offline };
    const newer = await buildImages({ ...engine, env }, { ...options, targets: [...upgraded, ...tools], tag: version });
    if (newer !== 0) return newer;
    const older = await buildBefore({ ...engine, env }, before, { ...options, targets: upgraded, tag: before.tag });
    if (older !== 0) return older;
    const stoodIn = choice.offline ? await buildStandIns(env) : 0;
    if (stoodIn !== 0) return stoodIn;
  }
  return await runChild(
    workspaceNode,
    [tool('jest'), '-c', join(root, 'tests/cluster/jest.config.js'), '--runInBand'],
    {
      env: {
        ...env,
        IMAGES_ENGINE: engine.program,
        IMAGES_TAG: version,
        CLUSTER_LOAD: choice.load,
        CLUSTER_BEFORE: before.tag,
        CLUSTER_BEFORE_NAME: before.revision ?? 'this tree, built again',
        CLUSTER_RATE: choice.rate,
        CLUSTER_NAMESPACE: choice.namespace,
        ...(choice.offline ? { CLUSTER_STAND_INS: 'true' } : {}),
      },
    },
  );
}

/** The commit that a name stands for, shortened; undefined without a name, and where git has no such commit. */
function readRevision(name) {
  if (name === undefined) return undefined;
  const args = ['rev-parse', '--verify', '--quiet', '--short', `${name}^{commit}`];
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

function hasBaseline(revision) {
  const file = 'libs/store/src/migrations/20261128T120000-baseline-of-0.3.0.ts';
  return spawnSync('git', ['cat-file', '-e', `${revision}:${file}`], { cwd: root }).status === 0;
}

/** The version before: files of its commit, built by its own Dockerfile. */
async function buildBefore(engine, { revision }, options) {
  if (revision === undefined) return await buildImages(engine, options);
  const folder = mkdtempSync(join(tmpdir(), 'sluice-before-'));
  try {
    const archive = spawnSync('git', ['archive', revision], { cwd: root, maxBuffer: archiveBytes });
    if (archive.status !== 0) throw new Error(String(archive.stderr));
    const unpacked = spawnSync('tar', ['-x', '-C', folder], { input: archive.stdout });
    if (unpacked.status !== 0) throw new Error(String(unpacked.stderr));
    return await buildImages(engine, { ...options, folder, revision });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The trial's Postgres, Redis and Kafka, on the same Debian base as our images. */
function buildStandIns(env) {
  return runChild('sh', ['tests/cluster/stand-ins/build.sh'], { env });
}

function whatIsMissing(env) {
  for (const program of programs) {
    const { error } = spawnSync(program, ['version', '--client'], { env, stdio: 'ignore', timeout: 30_000 });
    if (error !== undefined) return `${program} is not on PATH (npm run chart:tools makes helm, with Go)`;
  }
  const config = env.KUBECONFIG ?? join(homedir(), '.kube', 'config');
  if (!existsSync(config)) return 'KUBECONFIG names no file, so there is no cluster to test on';
  const asked = spawnSync('kubectl', ['get', '--raw', '/readyz'], { env, encoding: 'utf8', timeout: 30_000 });
  return asked.status === 0 ? undefined : `the cluster does not answer: ${asked.stderr}`;
}

function readChoice(args) {
  const values = readOptions(args, {
    load: { type: 'string' },
    from: { type: 'string' },
    offline: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    rate: { type: 'string', default: '200' },
    namespace: { type: 'string', default: 'sluice-test' },
  });
  return values?.load !== undefined && /^\d+$/.test(values.rate) ? values : undefined;
}
