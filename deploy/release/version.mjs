/**
 * `npm run release:version`: whether every file that names the project's version names the one of the root package.json, whether
 * CHANGELOG.md has a section for it, and, where a tag started the run, whether the tag is `v` and that version. Ends with 0, or with 1
 * after a line for each that differs. `npm run release:version -- 0.3.0` writes that version into all of them first.
 */
import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const folders = ['libs', 'services', 'deploy', 'tests'].flatMap((group) =>
  [group].concat(readdirSync(group).map((name) => `${group}/${name}`)),
);
const manifests = ['.', ...folders].map((folder) => join(folder, 'package.json')).filter((file) => existsSync(file));

/** Each pattern has the text before the version in its first group. The folder is the one that npm runs scripts in: the checkout. */
const fields = [
  ...manifests.map((file) => ({ file, pattern: /^( {2}"version": ")([^"]*)/m })),
  { file: 'helm/sluice/Chart.yaml', pattern: /^(version: )(.*)/m },
  { file: 'helm/sluice/Chart.yaml', pattern: /^(appVersion: )(.*)/m },
  { file: 'deploy/cli/src/version.ts', pattern: /(version = ')([^']*)/ },
];

const [wanted, ...rest] = process.argv.slice(2);
process.exitCode = main();

function main() {
  if (rest.length > 0 || (wanted !== undefined && !/^\d+\.\d+\.\d+$/.test(wanted))) {
    process.stderr.write('usage: npm run release:version [-- MAJOR.MINOR.PATCH]\n');
    return 2;
  }
  if (wanted !== undefined) for (const field of fields) write(field, wanted);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const problems = findProblems(version);
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length > 0) return 1;
  process.stdout.write(`${version}, in ${fields.length} places and CHANGELOG.md\n`);
  // For the later jobs of a release.
  if (process.env.GITHUB_OUTPUT) appendFileSync(process.env.GITHUB_OUTPUT, `version=${version}\n`);
  return 0;
}

function findProblems(version) {
  const problems = [];
  for (const { file, pattern } of fields) {
    const [, before = '', found] = pattern.exec(readFileSync(file, 'utf8')) ?? [];
    if (found !== version)
      problems.push(`${file}: ${(before + (found ?? '')).trim() || 'no version'} is not ${version}`);
  }
  const heading = `## [${version}] - `;
  if (!readFileSync('CHANGELOG.md', 'utf8').includes(`\n${heading}`)) {
    problems.push(`CHANGELOG.md: no section that begins with "${heading}"`);
  }
  const { GITHUB_REF_TYPE: kind, GITHUB_REF_NAME: tag } = process.env;
  if (kind === 'tag' && tag !== `v${version}`) problems.push(`the tag ${tag} is not v${version}`);
  return problems;
}

function write({ file, pattern }, version) {
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    text.replace(pattern, (_match, before) => `${before}${version}`),
  );
}
