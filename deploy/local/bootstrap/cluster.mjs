import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { buildImages, everyTarget, findEngine, withOfflineSettings } from './container-engine.mjs';
import { root, tool, workspaceNode } from './paths.mjs';
import { readOptions } from './read-options.mjs';
import { runChild } from './run-child.mjs';

const usage = `usage: npm run test:cluster -- --load COMMAND [--offline] [--no-build] [--rate 200] [--namespace sluice-test]
  --load       how an image archive (docker save) gets into the cluster; the file's name is added at the end:
                 kind      --load "kind load image-archive"
                 minikube  --load "minikube image load"
                 others    --load "ctr -n k8s.io images import"
                 none      the images are in the cluster already
  --offline    images on bases made from Debian packages, and stand-ins for the trial's Postgres, Redis and Kafka
  --no-build   takes the images that are there (both versions)
  --rate       writes per second during upgrade and rollback
  --namespace  is made, and deleted in the end`;

/** Programs that are not ours. */
const programs = ['kubectl', 'helm'];
/** Where `npm run chart:tools` puts helm. */
const ownTools = join(root, '.sluice', 'tools');

/**
 * `npm run test:cluster`: install, helm test, tour, upgrade and rollback under load, crash test, reinstall, wrong key ring, uninstall, on the
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
  const next = `${version}-next`;
  if (!choice['no-build']) {
    for (const tag of [version, next]) {
      const built = await buildImages({ ...engine, env }, { targets: everyTarget, tag, isOffline: choice.offline });
      if (built !== 0) return built;
    }
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
        CLUSTER_NEXT: next,
        CLUSTER_RATE: choice.rate,
        CLUSTER_NAMESPACE: choice.namespace,
        ...(choice.offline ? { CLUSTER_STAND_INS: 'true' } : {}),
      },
    },
  );
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
    offline: { type: 'boolean', default: false },
    'no-build': { type: 'boolean', default: false },
    rate: { type: 'string', default: '200' },
    namespace: { type: 'string', default: 'sluice-test' },
  });
  return values?.load !== undefined && /^\d+$/.test(values.rate) ? values : undefined;
}
