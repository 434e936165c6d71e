/**
 * Makes the console's page of `browser/` with esbuild, into `dist/page`: the page, one script, one stylesheet and an icon, with hashes of
 * their content in their names. Nothing happens when no source is newer than the page.
 * Usage: node libs/console/build.mjs [--force]
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const sources = join(here, 'browser');
const client = join(here, '..', 'client', 'dist');
const types = join(here, '..', 'types', 'src');
const lockfile = join(here, '..', '..', 'pnpm-lock.yaml');
const page = join(here, 'dist', 'page');

if (process.argv.includes('--force') || isStale()) await buildPage();

function isStale() {
  const made = join(page, 'index.html');
  if (!existsSync(made)) return true;
  const madeAt = statSync(made).mtimeMs;
  const read = [sources, client, types].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  );
  return [...read, lockfile, fileURLToPath(import.meta.url)].some((file) => statSync(file).mtimeMs > madeAt);
}

async function buildPage() {
  const { build } = await import('esbuild');
  // Replaces the old one atomically: a service that starts meanwhile reads either.
  const made = mkdtempSync(join(here, 'dist', 'page-'));
  const { metafile } = await build({
    entryPoints: [join(sources, 'main.tsx'), join(sources, 'style.css')],
    // From its sources: of what the services share, the page holds only what it names.
    alias: { '@sluice/types': join(types, 'index.ts') },
    entryNames: 'console-[hash]',
    outdir: made,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // MIT asks that its notice goes along with every copy, and the page is all that is left of the package.
    banner: { js: `/* preact\n\n${readFileSync(join(here, 'node_modules/preact/LICENSE'), 'utf8')}*/` },
    logLevel: 'warning',
  });
  const outputs = Object.keys(metafile.outputs).map((path) => basename(path));
  const icon = readFileSync(join(sources, 'icon.svg'));
  const names = {
    script: outputs.find((name) => name.endsWith('.js')),
    style: outputs.find((name) => name.endsWith('.css')),
    icon: `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`,
  };
  writeFileSync(join(made, names.icon), icon);
  const html = readFileSync(join(sources, 'index.html'), 'utf8');
  writeFileSync(
    join(made, 'index.html'),
    html.replace(/%(\w+)%/g, (_match, name) => names[name]),
  );
  rmSync(page, { recursive: true, force: true });
  renameSync(made, page);
}
