/**
 * `npm run figures`: how large the source is, in the figures that docs/contributing/conventions.md, section 3, sets aims for, then the lines by
 * package. Source is TypeScript in libs, services and deploy, without tests and without what is generated; scripts are JavaScript. What a write runs
 * through is measured by `npm run path-of-a-write`. An argument names a folder to measure alone.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';

const tracked = execFileSync('git', ['ls-files', '-z'], { encoding: 'utf8', maxBuffer: 64_000_000 }).split('\0');
const isCode = (path) => /^(libs|services|deploy|tests)\/.*\.tsx?$/.test(path) && !path.includes('/generated/');
const isTest = (path) => /\.test\.tsx?$|\/test\/|^tests\//.test(path);
/** Their length is that of what they list. */
const isTable = (path) => path.includes('/migrations/') || path.includes('/schema');

const [folder = ''] = process.argv.slice(2);
const read = (path) => ({ path, lines: readFileSync(path, 'utf8').trimEnd().split('\n') });
const measured = tracked.filter((path) => isCode(path) && path.startsWith(folder)).map(read);
const sources = measured.filter(({ path }) => !isTest(path));
const lengths = sources
  .filter(({ path }) => !isTable(path))
  .map(({ lines }) => lines.length)
  .sort((a, b) => a - b);
const linesOf = (files) => files.reduce((sum, { lines }) => sum + lines.length, 0);
const comments = sources.flatMap(({ lines }) => lines.filter((line) => /^\s*(\/\/|\/\*|\*)/.test(line)));

const rows = [
  ['source lines', linesOf(sources)],
  ['source files', sources.length],
  ['of them under 30 lines', sources.filter(({ lines }) => lines.length < 30).length],
  ['p90 of their lines', lengths[Math.floor(lengths.length * 0.9)] ?? 0],
  ['largest file', lengths.at(-1) ?? 0],
  ['lines that are comments, %', ((100 * comments.length) / linesOf(sources)).toFixed(1)],
  ['test lines', linesOf(measured) - linesOf(sources)],
  ['steps of docs/FLOW.md', readFileSync('docs/FLOW.md', 'utf8').match(/^\| \d+ \|/gm)?.length ?? 0],
];
const lines = rows.map(([name, value]) => `${name.padEnd(30)}${String(value).padStart(8)}`);

const folderOf = ({ path }) => path.split('/').slice(0, -1).slice(0, 2).join('/') || '.';
const kinds = {
  source: ({ path }) => isCode(path) && !isTest(path),
  tests: ({ path }) => isCode(path) && isTest(path),
  scripts: ({ path }) => /\.[cm]?jsx?$/.test(path),
  docs: ({ path }) => path.endsWith('.md'),
  JSON: ({ path }) => /\.jsonl?$/.test(path),
};
const isCounted = (path) => path.startsWith(folder) && Object.values(kinds).some((is) => is({ path }));
const row = (name, columns) =>
  lines.push(`${name.padEnd(22)}${columns.map((column) => String(column || '').padStart(8)).join('')}`);
const figuresOf = (files) => [
  files.filter(kinds.source).length,
  ...Object.values(kinds).map((is) => linesOf(files.filter(is))),
];

const all = tracked.filter(isCounted).map(read);
lines.push('');
row('folder, lines', ['files', ...Object.keys(kinds)]);
for (const name of [...new Set(all.map(folderOf))].toSorted((a, b) => a.localeCompare(b))) {
  row(name, figuresOf(all.filter((file) => folderOf(file) === name)));
}
row('all', figuresOf(all));
process.stdout.write(`${lines.join('\n')}\n`);
