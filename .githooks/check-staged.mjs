/**
 * Checks the format and the lint of what is staged, and changes nothing. The format is that of the staged content; the linter reads the files
 * as they lie there, because it follows their imports. Ends with 1 after a line for each finding. `npm run check` holds the rest.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';

// The tools are those of the checkout that the commit is made in, which git starts a hook in.
const root = process.cwd();
const requireThere = createRequire(join(root, 'package.json'));
const linted = /\.[cm]?[jt]sx?$/;

const staged = git('diff', '--cached', '--name-only', '-z', '--diff-filter=ACMR')
  .split('\0')
  .filter((path) => path !== '');
const unformatted = await findUnformatted(staged);
for (const path of unformatted) process.stderr.write(`not formatted: ${path}\n`);
if (unformatted.length > 0) process.stderr.write('npm run format writes the format; stage the files again then\n');
const lint = lintFiles(staged.filter((path) => linted.test(path) && existsSync(join(root, path))));
process.exitCode = unformatted.length > 0 || lint !== 0 ? 1 : 0;

async function findUnformatted(paths) {
  const prettier = requireThere('prettier');
  const found = [];
  for (const path of paths) {
    const file = join(root, path);
    const { ignored, inferredParser } = await prettier.getFileInfo(file, { ignorePath: join(root, '.prettierignore') });
    if (ignored || inferredParser === null) continue;
    const options = { ...(await prettier.resolveConfig(file)), filepath: file };
    // What does not parse is not formatted, either.
    const isFormatted = await prettier.check(git('show', `:${path}`), options).catch(() => false);
    if (!isFormatted) found.push(path);
  }
  return found;
}

/** With types where the packages are compiled: without, the linter guesses them. */
function lintFiles(paths) {
  if (paths.length === 0) return 0;
  const types = existsSync(join(root, 'libs/types/dist')) ? ['--type-aware'] : [];
  const tool = join(root, 'node_modules/.bin/oxlint');
  const { status, stdout, error } = spawnSync(tool, [...types, '--', ...paths], { cwd: root, encoding: 'utf8' });
  if (status !== 0) process.stderr.write(`${error?.message ?? stdout}\n`);
  return status;
}

function git(...args) {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}
