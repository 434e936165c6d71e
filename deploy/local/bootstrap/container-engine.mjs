import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { childEnvironment } from './environment.mjs';
import { root } from './paths.mjs';
import { runChild } from './run-child.mjs';

/** Every image that the Dockerfile builds. */
export const everyTarget = [
  'migrate',
  'management',
  'search',
  'write-gateway',
  'batcher',
  'executor',
  'sandbox',
  'crash-test',
  'sluice',
];

const buildMs = 30 * 60_000;

/**
 * Docker, or podman: the first that answers.
 * @returns {{ program: string, env: object } | undefined} undefined, with a warning, where neither does
 */
export function findEngine() {
  const env = childEnvironment();
  for (const program of ['docker', 'podman']) {
    if (spawnSync(program, ['info'], { env, stdio: 'ignore', timeout: 30_000 }).status === 0) return { program, env };
  }
  process.stderr.write(
    'NOT RUN: neither docker nor podman answers. Install one (Debian: apt-get install -y podman buildah runc netavark aardvark-dns iptables), or start it.\n',
  );
  return undefined;
}

/** Settings for podman without systemd, as docker/build-offline.sh has them. */
export function withOfflineSettings({ program, env }) {
  const file = join(root, 'docker', 'containers.conf');
  return { program, env: { CONTAINERS_CONF: file, ...env } };
}

/**
 * Builds images as `localhost/sluice/<target>:<tag>`.
 * @param options.isOffline with podman, on bases made from Debian's packages: where no image registry can be reached
 * @param options.folder of the files they are made of, with the commit that these are. @default this checkout and its commit
 * @returns the exit code
 */
export async function buildImages({ program, env }, { targets, tag, isOffline, folder = root, revision = readHead() }) {
  if (isOffline)
    return runChild('sh', [join(folder, 'docker/build-offline.sh'), ...targets], {
      env: { ...env, TAG: tag, REVISION: revision },
    });
  for (const target of targets) {
    process.stderr.write(`== localhost/sluice/${target}:${tag}\n`);
    const args = ['build', ...(program === 'podman' ? ['--format', 'docker'] : []), '--file', 'docker/Dockerfile'];
    const names = ['--target', target, '--tag', `localhost/sluice/${target}:${tag}`];
    const labels = ['--build-arg', `VERSION=${tag}`, '--build-arg', `REVISION=${revision}`];
    // Podman takes the labels of another version from its cache.
    if (program === 'podman') labels.push(...labelsOf(tag, revision));
    const built = spawnSync(program, [...args, ...names, ...labels, '.'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      maxBuffer: 256 * 1024 * 1024,
      timeout: buildMs,
    });
    if (built.status === 0) continue;
    process.stderr.write(`${built.stdout}${built.stderr}`.split('\n').slice(-40).join('\n'));
    process.stderr.write('\nNo registry? --offline builds the bases from Debian packages (as root, with podman).\n');
    return built.status ?? 1;
  }
  return 0;
}

function readHead() {
  return spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim() || 'unknown';
}

function labelsOf(version, revision) {
  const prefix = 'org.opencontainers.image';
  return ['--label', `${prefix}.version=${version}`, '--label', `${prefix}.revision=${revision}`];
}
