/**
 * `npm run release:chart`: makes the chart of a release: a copy whose values name the registry that the images were pushed to and, of each
 * image, the digest that `release:digest` noted; lints it, packs it into `dist/release` and pushes it to `oci://$REGISTRY/charts`, with the
 * credentials that docker has for the registry. Writes the digests into one file. With `--dry-run` nothing is pushed; without REGISTRY the copy
 * names neither registry nor digests. Needs helm.
 */
import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import process from 'node:process';

const { REGISTRY, GITHUB_STEP_SUMMARY } = process.env;
const isDryRun = process.argv.includes('--dry-run') || !REGISTRY;
const folder = 'dist/release';
const chart = `${folder}/chart/sluice`;
/** The matrix of release.yml, which a test compares. */
const images = ['management', 'search', 'write-gateway', 'batcher', 'executor', 'migrate', 'sandbox', 'crash-test'];
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// On PATH, or made by `npm run chart:tools`.
const helm = existsSync('.sluice/tools/helm') ? '.sluice/tools/helm' : 'helm';

mkdirSync(`${folder}/digests`, { recursive: true });
const noted = readdirSync(`${folder}/digests`).toSorted();
const lines = noted.map((name) => readFileSync(`${folder}/digests/${name}`, 'utf8').trim());
writeFileSync(`${folder}/DIGESTS`, lines.map((line) => `${line}\n`).join(''));
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, lines.map((line) => `${line}\n`).join(''));

rmSync(chart, { recursive: true, force: true });
cpSync('helm/sluice', chart, { recursive: true });
if (REGISTRY) pointAt(REGISTRY, Object.fromEntries(lines.map((line) => line.split(' '))));

const steps = [
  ['lint', '--strict', chart, '--set', 'trial.enabled=true'],
  ['package', chart, '--destination', folder],
  ...(isDryRun ? [] : [['push', `${folder}/sluice-${version}.tgz`, `oci://${REGISTRY}/charts`]]),
];
for (const args of steps) run(args);
if (!process.exitCode && isDryRun) process.stdout.write('nothing was pushed\n');

/** A chart whose images are elsewhere, or not these, is worse than none. */
function pointAt(registry, digests) {
  const missing = images.filter((image) => digests[image] === undefined);
  if (missing.length > 0) return refuse(`no digest of ${missing.join(', ')} in ${folder}/digests`);
  const values = readFileSync(`${chart}/values.yaml`, 'utf8');
  const flow = images.map((image) => `${image}: ${digests[image]}`).join(', ');
  const pointed = values
    .replace("\n  registry: ''\n", `\n  registry: ${registry}\n`)
    .replace('\n  digests: {}\n', `\n  digests: { ${flow} }\n`);
  if (!pointed.includes(`registry: ${registry}`) || !pointed.includes(flow))
    refuse('helm/sluice/values.yaml has no image.registry or image.digests to set');
  writeFileSync(`${chart}/values.yaml`, pointed);
}

function refuse(reason) {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}

function run(args) {
  if (process.exitCode) return;
  const { status, error } = spawnSync(helm, args, { stdio: 'inherit' });
  if (error) process.stderr.write(`helm could not be run (npm run chart:tools makes it, with Go): ${error.message}\n`);
  process.exitCode = status ?? 1;
}
