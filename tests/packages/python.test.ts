import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runProgram } from '../command-line/run-sluice';
import { createCustomer } from '../harness/customer';
import { startEmbeddedStack, type EmbeddedStack } from '../harness/embedded-stack';

// What a Python team gets: the released wheel in an environment of its own, without the checkout, against running services.
const root = resolve(__dirname, '../..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const folder = mkdtempSync(join(tmpdir(), 'sluice-python-'));
const python = join(folder, 'env/bin/python');
const installed = installClient();
const withPython = installed ? it : it.skip;

let stack: EmbeddedStack;
let env: Record<string, string>;
beforeAll(async () => {
  if (!installed) return;
  stack = await startEmbeddedStack();
  const customer = await createCustomer(stack, { provider: 'hubspot', read: ['contacts'], write: ['contacts'] });
  env = {
    SLUICE_URL: stack.baseUrl,
    SLUICE_SEARCH_URL: stack.searchUrl,
    SLUICE_WRITE_URL: stack.writeUrl,
    SLUICE_API_KEY: customer.project.key,
    SLUICE_PROJECT: customer.project.name,
    INTEGRATION: customer.integrationId,
    GROUP: customer.groupRef,
  };
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** False, said aloud, where there is no Python or its packages cannot be had. Whatever else fails is a failure. */
function installClient(): boolean {
  const steps: readonly (readonly [program: string, ...args: string[]])[] = [
    ['python3', '-c', 'import sys, venv; sys.exit(sys.version_info < (3, 11) and "Python is older than 3.11")'],
    ['python3', '-m', 'venv', join(folder, 'env')],
    [process.execPath, join(root, 'deploy/release/python.mjs'), '--out', join(folder, 'made')],
    [python, '-m', 'pip', 'install', '--quiet', '--find-links', join(folder, 'made'), `sluice-client==${version}`],
  ];
  for (const [program, ...args] of steps) {
    const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    const said = error?.message ?? stderr;
    const isMissing =
      /ENOENT|No module named 'venv'|ensurepip|older than 3\.11|Max retries|Connection|NewConnection/.test(said);
    if (!isMissing) throw new Error(`${program} ${args.join(' ')}: ${said}`);
    process.stderr.write(
      `NOT RUN: the Python client, for want of Python 3.11 with venv and its packages: ${said.slice(-300)}\n`,
    );
    return false;
  }
  return true;
}

const run = async (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return await runProgram(python, [name], { cwd: folder, env });
};

withPython('does what its page shows', async () => {
  const page = readFileSync(join(root, 'deploy/release/python/README.md'), 'utf8');
  const [, program = ''] = /```python\n([^]*?)```/.exec(page) ?? [];
  const { code, stdout, stderr } = await run('page.py', program);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout.trim().split('\n')).toEqual([
    'asynchronous: success',
    'found: 1',
    'refused: write.object-not-in-manifest',
  ]);
});

withPython('has a function for every operation of the three documents, and no more', async () => {
  const documents = ['management', 'search', 'write'].map((name) => join(root, `docs/api/${name}.openapi.json`));
  const operations = documents.flatMap((path) => {
    const { paths } = JSON.parse(readFileSync(path, 'utf8')) as {
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    return Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  });
  const { stdout } = await run(
    'operations.py',
    `import pkgutil, sluice_client.api as api
for module in pkgutil.walk_packages(api.__path__, "sluice_client.api."):
    if not module.ispkg: print(module.name.rsplit(".", 1)[1])
`,
  );
  const snake = (name: string) =>
    name
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
      .toLowerCase();
  expect(stdout.trim().split('\n').toSorted()).toEqual(operations.map(snake).toSorted());
});

withPython('carries the version, the licence and its types', async () => {
  const { stdout } = await run(
    'about.py',
    `import importlib.metadata as m, json, importlib.resources as r
about = m.metadata("sluice-client")
print(json.dumps([about["Version"], about["License-Expression"], (r.files("sluice_client") / "py.typed").is_file()]))
`,
  );
  expect(JSON.parse(stdout)).toEqual([version, 'Apache-2.0', true]);
});
