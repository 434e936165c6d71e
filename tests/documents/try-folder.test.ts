import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { runProgram } from '../command-line/run-sluice';

/** The command that makes a folder beside the checkout: in the checkout itself npm would rewrite its package.json. */
const root = resolve(__dirname, '../..');
const [readme, quickstart] = ['README.md', 'docs/guides/quickstart.md'].map((page) => {
  const found = /^(?:\$ )?(npm run release:packages && [^]*?)```/m.exec(readFileSync(join(root, page), 'utf8'));
  return found?.[1] ?? '';
});

let folder: string;
let checkout: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-checkout-'));
  checkout = join(folder, 'sluice');
  mkdirSync(join(checkout, 'dist/release'), { recursive: true });
  writeFileSync(join(checkout, 'dist/release/sluice-client-1.0.0.tgz'), '');
  // In place of npm: says where it is called.
  writeFileSync(join(folder, 'npm'), `#!/bin/sh\necho "$(basename "$PWD"): $*" >> '${folder}/calls'\n`);
  chmodSync(join(folder, 'npm'), 0o755);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = async () => {
  const env = { PATH: `${folder}:${dirname(process.execPath)}:/usr/bin:/bin` };
  const { code } = await runProgram('bash', ['-c', quickstart ?? ''], { cwd: checkout, env });
  return { code, calls: readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') };
};

it('is the same on both pages', () => {
  expect(quickstart).toContain('npm init -y');
  expect(readme).toBe(quickstart);
});

it('installs in the folder beside it, also when that is there', async () => {
  const client = `${checkout}/dist/release/sluice-client-1.0.0.tgz`;
  const once = ['sluice: run release:packages', 'try-sluice: init -y', `try-sluice: install ${client}`];
  expect(await run()).toEqual({ code: 0, calls: once });
  expect(await run()).toEqual({ code: 0, calls: [...once, ...once] });
  expect(existsSync(join(checkout, '.sluice/.sluice'))).toBe(false);
});

it('does nothing more where there can be no such folder', async () => {
  writeFileSync(join(folder, 'try-sluice'), 'a file');
  expect(await run()).toEqual({ code: 1, calls: ['sluice: run release:packages'] });
});
