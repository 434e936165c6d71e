import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readProcessEnv } from '@sluice/config';

const root = join(__dirname, '..');
const formatted = 'export const a = 1;\n';

// A hook that lets everything through looks like one that works, so real commits are made.
describe('the hook before a commit', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'commit-hook-'));
    for (const name of ['.githooks', '.prettierrc.json', '.prettierignore', '.oxlintrc.json', 'package.json']) {
      cpSync(join(root, name), join(folder, name), { recursive: true });
    }
    git('init', '-q');
    git('config', 'core.hooksPath', '.githooks');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('passes what is formatted and linted, and files it knows nothing of', () => {
    install();
    expect(commit({ 'a.ts': formatted, 'b.bin': '\0\0', 'page with space.md': '# A page\n' })).toEqual({
      status: 0,
      said: '',
    });
  });

  it('refuses what is not formatted, by name', () => {
    install();
    const { status, said } = commit({
      'a.ts': 'export const a = "1"',
      'b.ts': formatted,
      'c.yaml': 'a:   1\n',
    });
    expect(status).not.toBe(0);
    expect(said).toContain('not formatted: a.ts\nnot formatted: c.yaml\nnpm run format ');
    expect(said).not.toContain('b.ts');
  });

  it('refuses what the linter refuses', () => {
    install();
    const { status, said } = commit({ 'a.ts': 'export const a = [1, , 2];\n' });
    expect(status).not.toBe(0);
    expect(said).toContain('no-sparse-arrays');
  });

  it('judges the format by what is staged', () => {
    install();
    write({ 'a.ts': formatted, 'b.ts': 'export const b = "1"' });
    git('add', 'a.ts', 'b.ts');
    write({ 'a.ts': 'export const a = "1"', 'b.ts': formatted });
    expect(commit({})).toMatchObject({
      status: 1,
      said: expect.stringMatching(/^not formatted: b\.ts\nnpm run format /),
    });
  });

  it('passes over what is not committed: a removed file, one that is ignored, one that is not staged', () => {
    install();
    expect(commit({ 'a.ts': formatted, 'docs/metrics.md': '*   a\n' }).status).toBe(0);
    git('rm', '-q', 'a.ts');
    write({ 'b.ts': 'export const b = "1"' });
    expect(commit({})).toEqual({ status: 0, said: '' });
  });

  it('says what to do where nothing is installed', () => {
    expect(commit({ 'a.ts': formatted })).toMatchObject({
      status: 1,
      said: expect.stringContaining('run npm run check once'),
    });
  });

  function install(): void {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }

  function write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  function commit(files: Readonly<Record<string, string>>): { status: number | null; said: string } {
    write(files);
    for (const path of Object.keys(files)) git('add', path);
    const { status, stderr } = run('commit', '-q', '-m', 'a');
    return { status, said: stderr };
  }

  function git(...args: string[]): void {
    const { status, stderr } = run(...args);
    if (status !== 0) throw new Error(stderr);
  }

  /** Without the settings of the person who runs the tests, and of a git that they may run under. */
  function run(...args: string[]) {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
    const env = { PATH: readProcessEnv()['PATH'], HOME: folder, GIT_CONFIG_NOSYSTEM: '1' };
    return spawnSync('git', [...identity, ...args], { cwd: folder, env, encoding: 'utf8' });
  }
});
