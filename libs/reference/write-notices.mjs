/**
 * Writes `notices.txt`: the licences of what Scalar's browser build is made of. Run it after another version of @scalar/api-reference was
 * installed; it asks the npm registry for those packages, which the workspace does not install.
 * Usage: node libs/reference/write-notices.mjs
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledPackages } from './bundled-packages.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const installed = join(here, 'node_modules/@scalar/api-reference');
const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
// Scalar's own packages come with one licence; this one brings its text.
const packages = new Map([['@scalar/types', 'latest'], ...bundledPackages(installed)]);

const folder = mkdtempSync(join(tmpdir(), 'notices-'));
try {
  // By another name each, so that none is put aside for one that another needs.
  const aliases = [...packages].map(([name, wanted], at) => `p${at}@npm:${name}@${wanted}`);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--install-strategy=shallow', '--legacy-peer-deps'];
  execFileSync('npm', ['install', ...options, ...aliases], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  writeFileSync(join(here, 'notices.txt'), notices(join(folder, 'node_modules')));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** One paragraph per licence text: the packages that have it, and the text. */
function notices(modules) {
  const byText = new Map();
  for (const [at, [name, wanted]] of [...packages].entries()) {
    const own = join(modules, `p${at}`);
    const { license } = JSON.parse(readFileSync(join(own, 'package.json'), 'utf8'));
    const file = readdirSync(own).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
    const text =
      file === undefined
        ? 'Its package declares this licence and brings no text.'
        : readFileSync(join(own, file), 'utf8').trim();
    const label =
      wanted === 'latest' ? `@scalar/api-reference ${version} and the other packages of Scalar` : `${name} ${wanted}`;
    const known = byText.get(text) ?? [];
    byText.set(text, [...known, `${label} (${license})`]);
  }
  const paragraphs = [...byText].map(([text, labels]) => `${labels.join('\n')}\n\n${text.replaceAll('\r\n', '\n')}\n`);
  return ['The scripts of this page are made of these packages.\n', ...paragraphs].join(`\n${'-'.repeat(80)}\n\n`);
}
