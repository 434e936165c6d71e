import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { transformFileSync } from '@swc/core';

const root = join(__dirname, '..', '..', '..', '..');
/** A version before it has another schema, and no process of it runs beside one of this version. */
const baseline = 'libs/store/src/migrations/20261128T120000-baseline-of-0.3.0.ts';

/**
 * The version that is rolled over: the newest release that has the baseline, and until there is one the commit that made it. A clone without
 * that much history begins with a commit that makes every file.
 * @returns undefined where this checkout has no history
 */
export function earlierVersion(): string | undefined {
  const made = git(['log', '--diff-filter=A', '--format=%H', '--', baseline]).trim().split('\n').at(-1);
  if (made === undefined || made === '') return undefined;
  const newest = ['tag', '--list', 'v*', '--sort=-version:refname', '--contains', made, '--no-contains', 'HEAD'];
  const [tag = ''] = git(newest).split('\n');
  return tag === '' ? made : git(['rev-parse', `${tag}^{commit}`]).trim();
}

/** Its libraries and services, translated and ready to run with what is installed here. @returns their folder */
export function buildEarlierVersion(commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-earlier-'));
  const archive = execFileSync('git', ['archive', commit, 'libs', 'services'], { cwd: root, maxBuffer: 2 ** 28 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  for (const manifest of globSync('{libs,services}/*/package.json', { cwd: folder })) {
    const modules = join(dirname(manifest), 'node_modules');
    if (existsSync(join(root, modules)))
      cpSync(join(root, modules), join(folder, modules), { recursive: true, verbatimSymlinks: true });
    linkMissing(folder, manifest);
  }
  for (const file of globSync('{libs,services}/*/src/**/*.ts', { cwd: folder })) {
    if (file.endsWith('.test.ts') || file.endsWith('.d.ts')) continue;
    const { code } = transformFileSync(join(folder, file), {
      jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
      module: { type: 'commonjs' },
      swcrc: false,
    });
    const to = join(folder, file.replace('/src/', '/dist/').replace(/\.ts$/, '.js'));
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, code);
  }
  return folder;
}

/** A dependency that its package has no longer, from where pnpm has every package that is installed. */
function linkMissing(folder: string, manifest: string): void {
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, manifest), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, dirname(manifest), 'node_modules', name);
    const installed = join(root, 'node_modules', '.pnpm', 'node_modules', name);
    if (existsSync(link) || !existsSync(installed)) continue;
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(installed, link);
  }
}

function git(args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
