/**
 * `npm run release:chart`: lints the chart, packs it into `dist/release` and pushes it to `oci://$REGISTRY/charts`, with the credentials that
 * docker has for the registry. Writes the digests that `release:digest` noted into one file. Without REGISTRY nothing is pushed, which is how
 * to try it. Needs helm.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const { REGISTRY, GITHUB_STEP_SUMMARY } = process.env;
const folder = 'dist/release';
const chart = 'helm/sluice';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// On PATH, or made by `npm run chart:tools`.
const helm = existsSync('.sluice/tools/helm') ? '.sluice/tools/helm' : 'helm';

mkdirSync(`${folder}/digests`, { recursive: true });
const noted = readdirSync(`${folder}/digests`).toSorted();
const digests = noted.map((name) => readFileSync(`${folder}/digests/${name}`, 'utf8')).join('');
writeFileSync(`${folder}/DIGESTS`, digests);
if (GITHUB_STEP_SUMMARY) appendFileSync(GITHUB_STEP_SUMMARY, digests);

const steps = [
  ['lint', '--strict', chart, '--set', 'trial.enabled=true'],
  ['package', chart, '--destination', folder],
  ...(REGISTRY ? [['push', `${folder}/sluice-${version}.tgz`, `oci://${REGISTRY}/charts`]] : []),
];
for (const args of steps) run(args);
if (!process.exitCode && !REGISTRY) process.stdout.write('REGISTRY is not set: nothing was pushed\n');

function run(args) {
  if (process.exitCode) return;
  const { status, error } = spawnSync(helm, args, { stdio: 'inherit' });
  if (error) process.stderr.write(`helm could not be run (npm run chart:tools makes it, with Go): ${error.message}\n`);
  process.exitCode = status ?? 1;
}
