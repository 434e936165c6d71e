/**
 * Puts the pnpm that `packageManager` of package.json names into a folder, checked against the hash it gives.
 * Needs Node and tar only: neither npm nor corepack is in every image that has Node.
 *
 *     node install-pnpm.mjs FOLDER        then: node FOLDER/bin/pnpm.cjs
 *
 * The registry is `npm_config_registry`, else the one of the npm that lies beside this Node.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import process from 'node:process';

const [folder] = process.argv.slice(2);
const { packageManager } = JSON.parse(readFileSync('package.json', 'utf8'));
const [, version, sha512] = /^pnpm@([\d.]+)\+sha512\.([0-9a-f]{128})$/.exec(packageManager) ?? [];
if (folder === undefined || version === undefined) {
  throw new Error(`usage: install-pnpm.mjs FOLDER, beside a package.json whose packageManager is pnpm@x.y.z+sha512.…`);
}

const registry = readRegistry().replace(/\/+$/, '');
const url = `${registry}/pnpm/-/pnpm-${version}.tgz`;
const reply = await fetch(url, { signal: AbortSignal.timeout(120_000) });
if (!reply.ok) throw new Error(`${url} answered ${reply.status}`);
const tarball = Buffer.from(await reply.arrayBuffer());
const actual = createHash('sha512').update(tarball).digest('hex');
if (actual !== sha512) throw new Error(`${url} has the hash ${actual}; packageManager says ${sha512}`);

mkdirSync(folder, { recursive: true });
const tar = spawnSync('tar', ['-xz', '--strip-components=1', '-C', folder], {
  input: tarball,
  stdio: ['pipe', 'inherit', 'inherit'],
});
if (tar.status !== 0) throw new Error(`tar ended with ${tar.status ?? tar.signal ?? tar.error}`);

function readRegistry() {
  if (process.env.npm_config_registry) return process.env.npm_config_registry;
  const { status, stdout } = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' });
  if (status === 0) return stdout.trim();
  throw new Error('There is no npm to name its registry. Set npm_config_registry (in a build: NPM_REGISTRY).');
}
