/**
 * `npm run release:publish`: makes the release of the version's tag on GitHub, with the changelog's section as its text and every file of
 * `dist/release` beside it: the packages that people install, the chart, the digests of the images. Takes the token from GH_TOKEN. Without it
 * nothing is published, which is how to try it. Needs gh.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const folder = 'dist/release';
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
const files = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isFile() && /^(DIGESTS|sluice-.*\.tgz|sluice_client-.*\.whl)$/.test(entry.name))
  .map(({ name }) => `${folder}/${name}`)
  .toSorted();
const wanted = [
  'DIGESTS',
  `sluice-${version}.tgz`,
  `sluice-client-${version}.tgz`,
  `sluice-cli-${version}.tgz`,
  `sluice_client-${version}-py3-none-any.whl`,
];
const missing = wanted.filter((name) => !files.includes(`${folder}/${name}`));

process.exitCode = main();

function main() {
  if (missing.length > 0) {
    process.stderr.write(`${folder} has no ${missing.join(', ')}\n`);
    return 1;
  }
  const [, section = ''] = readFileSync('CHANGELOG.md', 'utf8').split(new RegExp(`^## \\[${version}\\] - .*\n`, 'm'));
  const notes = `${folder}/NOTES.md`;
  writeFileSync(notes, `${section.split(/^## /m)[0].trim()}\n`);
  const args = [
    'release',
    'create',
    `v${version}`,
    '--verify-tag',
    '--title',
    version,
    '--notes-file',
    notes,
    ...files,
  ];
  if (!process.env.GH_TOKEN) {
    process.stdout.write(`GH_TOKEN is not set, so this was not run: gh ${args.join(' ')}\n`);
    return 0;
  }
  const { status, error } = spawnSync('gh', args, { stdio: 'inherit' });
  if (error) process.stderr.write(`gh could not be run: ${error.message}\n`);
  return status ?? 1;
}
