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
const tool = (name) => join(tools, 'bin', name);
const requirements = join(own, 'requirements.txt');
const installed = join(tools, 'requirements.txt');
const isInstalled = existsSync(installed) && readFileSync(installed, 'utf8') === readFileSync(requirements, 'utf8');
if (!isInstalled) {
  run('python3', ['-m', 'venv', '--clear', tools]);
  // Without bytecode: most of what comes with the tools is never imported.
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-compile'];
  run(tool('python'), ['-m', 'pip', 'install', ...quietly, '-r', requirements]);
  cpSync(requirements, installed);
}

// One package for the three: their paths differ, and each call is given a client of its base URL.
const staged = join(out, 'python');
const made = join(staged, 'sluice-client');
const code = join(made, 'sluice_client');
rmSync(staged, { recursive: true, force: true });
mkdirSync(made, { recursive: true });
writeFileSync(join(staged, 'openapi.json'), JSON.stringify(repliesOf(mergeDocuments(readDocuments()))));
writeFileSync(join(staged, 'config.json'), JSON.stringify({ post_hooks: [] }));
run(tool('openapi-python-client'), [
  'generate',
  `--path=${join(staged, 'openapi.json')}`,
  `--config=${join(staged, 'config.json')}`,
  `--output-path=${code}`,
  '--meta=none',
  '--fail-on-warning',
]);
raiseRefusals();
for (const name of ['README.md', 'pyproject.toml', 'sluice_client'])
  cpSync(join(own, name), join(made, name), { recursive: true });
cpSync(join(root, 'LICENSE'), join(made, 'LICENSE'));
writeFileSync(join(made, 'VERSION'), version);
writeFileSync(join(code, 'py.typed'), '');
run(tool('ruff'), ['check', '--fix-only', '--quiet', code]);
run(tool('ruff'), ['format', '--quiet', code]);
run(tool('python'), ['-c', 'import sys, setuptools.build_meta as b; b.build_wheel(sys.argv[1])', out], made);
const wheel = readdirSync(out).find((name) => name.startsWith(`sluice_client-${version}-`) && name.endsWith('.whl'));
process.stdout.write(`${join(out, wheel)}\n`);

/** The document with the replies that a call returns. The others are raised, as the classes of problems.py. */
function repliesOf(document) {
  for (const { responses } of Object.values(document.paths).flatMap((methods) => Object.values(methods))) {
    for (const [status, reply] of Object.entries(responses)) {
      if (status >= '300') delete responses[status];
      // For a reply without a body the generator makes no `sync`.
      else reply.content ??= { 'text/plain': { schema: { type: 'null' } } };
    }
  }
  return document;
}

/** The generator returns None for a status that the document does not have; here every such status is raised. */
function raiseRefusals() {
  const emptyBody = 'cast(None, response.text)';
  const raises = 'Raises:\n        SluiceApiError: a status of 400 and more\n        SluiceConnectionError: no reply\n';
  const names = readdirSync(join(code, 'api'), { recursive: true }).filter((name) => /\w\/(?!__)\w+\.py$/.test(name));
  for (const path of names.map((name) => join(code, 'api', name))) {
    edit(path, [
      [
        /    if client\.raise_on_unexpected_status:[^]*?return None\n/g,
        '    raise api_error(response.status_code, response.content, response.headers)\n',
      ],
      [/from \.\.\. import errors\n/g, 'from ...problems import api_error\n'],
      [/^(.*\) -> .+) \| None:$/gm, '$1:'],
      [/Raises:\n(?: +\S.*\n)+/g, raises],
    ]);
    writeFileSync(path, readFileSync(path, 'utf8').replace(emptyBody, 'None'));
  }
  edit(join(code, 'types.py'), [[/parsed: T \| None/g, 'parsed: T']]);
  edit(join(code, 'client.py'), [
    [/(raise_on_unexpected_status:) Whether.*\n(?: {12}\w.*\n)+/g, '$1 Has no effect: every refusal is raised.\n'],
  ]);
  rmSync(join(code, 'errors.py'));
}

function edit(path, changes) {
  let text = readFileSync(path, 'utf8');
  for (const [from, to] of changes) {
    if (text.search(from) === -1)
      throw new Error(`${path} has no ${String(from)}: the generator writes otherwise now.`);
    text = text.replaceAll(from, to);
  }
  writeFileSync(path, text);
}

/** Ends the process with what the program said, if it fails. */
function run(program, args, cwd = out) {
  const env = { ...process.env, PATH: [join(tools, 'bin'), process.env.PATH].join(delimiter) };
  const { status, error, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', env });
  if (status === 0) return;
  process.stderr.write(`${program} ${args.join(' ')}\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}\n`);
  process.exit(1);
}
