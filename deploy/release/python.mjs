/**
 * `npm run release:python`: makes the Python client of the three APIs, `dist/release/sluice_client-VERSION-py3-none-any.whl`, with
 * openapi-python-client. Needs Python 3.11 or later with its venv module, and the registry of Python packages. `--out FOLDER` puts it elsewhere.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mergeDocuments, readDocuments } from '../../libs/reference/documents.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const own = join(root, 'deploy/release/python');
const { values } = parseArgs({ options: { out: { type: 'string', default: join(root, 'dist/release') } } });
const out = resolve(values.out);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

mkdirSync(out, { recursive: true });
const tools = join(out, 'python-tools');
const requirements = join(own, 'requirements.txt');
const installed = join(tools, 'requirements.txt');
const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(requirements, 'utf8');
if (!isInstalled) {
  run('python3', ['-m', 'venv', '--clear', tools]);
  run(join(tools, 'bin/python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    '-r',
    requirements,
  ]);
  cpSync(requirements, installed);
}

// One package for the three: their paths differ, and each call is given a client of its base URL.
const staged = join(out, 'python');
rmSync(staged, { recursive: true, force: true });
mkdirSync(staged, { recursive: true });
writeFileSync(join(staged, 'openapi.json'), JSON.stringify(mergeDocuments(readDocuments())));
writeFileSync(
  join(staged, 'config.json'),
  JSON.stringify({
    post_hooks: ['ruff check . --fix-only --quiet', 'ruff format . --quiet'],
  }),
);
const made = join(staged, 'sluice-client');
mkdirSync(made);
run(join(tools, 'bin/openapi-python-client'), [
  'generate',
  `--path=${join(staged, 'openapi.json')}`,
  `--config=${join(staged, 'config.json')}`,
  `--output-path=${join(made, 'sluice_client')}`,
  '--meta=none',
  '--fail-on-warning',
]);
for (const name of ['README.md', 'pyproject.toml', 'sluice_client'])
  cpSync(join(own, name), join(made, name), { recursive: true });
cpSync(join(root, 'LICENSE'), join(made, 'LICENSE'));
writeFileSync(join(made, 'VERSION'), version);
writeFileSync(join(made, 'sluice_client/py.typed'), '');
run(join(tools, 'bin/python'), ['-m', 'build', '--wheel', '--no-isolation', '--outdir', out, made]);
const wheel = readdirSync(out).find((name) => name.startsWith(`sluice_client-${version}-`) && name.endsWith('.whl'));
process.stdout.write(`${join(out, wheel)}\n`);

/** Ends the process with what the program said, if it fails. */
function run(program, args) {
  const env = { ...process.env, PATH: [join(tools, 'bin'), process.env.PATH].join(delimiter) };
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd: out, encoding: 'utf8', env });
  if (status === 0) return;
  process.stderr.write(`${program} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`);
  process.exit(1);
}
