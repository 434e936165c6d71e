/**
 * `npm run clients:tools`: installs public generators of clients, for TypeScript (npm) and Python (pip), into the checkout's own folder. A
 * minute, once. Ends with 0 where a registry or a program is missing: the suite says then what it did not run.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('../../.sluice/tools/clients', import.meta.url));
const run = (program, args) =>
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });

const generators = {
  // The generator needs the compiler's JavaScript API, which ours no longer has.
  'openapi-typescript': () => {
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const packages = ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'];
    run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', ...packages]);
  },
  'openapi-python-client': () => {
    run('python3', ['-m', 'venv', 'python']);
    run('python/bin/pip', ['install', '--quiet', '--disable-pip-version-check', 'openapi-python-client==0.29.1']);
  },
};

mkdirSync(folder, { recursive: true });
for (const [name, install] of Object.entries(generators)) {
  const done = join(folder, `${name}.installed`);
  if (existsSync(done)) continue;
  process.stdout.write(`${name}: installed into .sluice/tools/clients\n`);
  try {
    install();
    writeFileSync(done, '');
  } catch (error) {
    rmSync(done, { force: true });
    process.stdout.write(`${name} could not be installed: ${error.message}\n`);
  }
}
