/**
 * Builds the pages from `browser/` with esbuild: the console into `dist/page`, and the page on which customers connect into `dist/connect`. Each is a
 * page, its scripts, a stylesheet and an icon, which have hashes of their content in their names. Nothing happens when no source is newer than the
 * pages. Usage: node libs/console/build.mjs [--force]
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

/** `name` begins the names of the script and the stylesheet, `packages` are what is bundled of others. */
const pages = [
  { folder: sources, made: 'page', name: 'console', packages: ['preact', 'uplot', 'yaml'] },
  { folder: join(sources, 'connect'), made: 'connect', name: 'connect', packages: ['preact'] },
];

if (process.argv.includes('--force') || isStale()) for (const page of pages) await buildPage(page);

function isStale() {
  const made = pages.map((page) => join(here, 'dist', page.made, 'index.html'));
  if (!made.every(existsSync)) return true;
  const madeAt = Math.min(...made.map((file) => statSync(file).mtimeMs));
  const read = [sources, client, types].flatMap((folder) =>
    readdirSync(folder, { recursive: true }).map((name) => join(folder, name)),
  );
  return [...read, lockfile, fileURLToPath(import.meta.url)].some((file) => statSync(file).mtimeMs > madeAt);
}

function notices(names) {
  const textOf = (name) => readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8');
  return names.map((name) => `/* ${name}\n\n${textOf(name)}*/`).join('\n');
}

async function buildPage({ folder, made: madeName, name: start, packages }) {
  const { build } = await import('esbuild');
  // Replaces the old one atomically: a service that starts meanwhile reads either.
  const made = mkdtempSync(join(here, 'dist', `${madeName}-`));
  const { metafile } = await build({
    entryPoints: [join(folder, 'main.tsx'), join(folder, 'style.css')],
    // From its sources: of what the services share, the page holds only what it names.
    alias: { '@sluice/types': join(types, 'index.ts') },
    entryNames: `${start}-[hash]`,
    outdir: made,
    bundle: true,
    minify: true,
    metafile: true,
    format: 'esm',
    // What is imported when it is first needed is a file of its own.
    splitting: true,
    chunkNames: 'part-[hash]',
    target: ['es2022'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    // MIT asks that its notice goes along with every copy, and the page is all that is left of the packages.
    banner: { js: notices(packages) },
    logLevel: 'warning',
  });
  const outputs = Object.keys(metafile.outputs)
    .map((path) => basename(path))
    .filter((name) => name.startsWith(`${start}-`));
  const icon = readFileSync(join(folder, 'icon.svg'));
  const names = {
    script: outputs.find((name) => name.endsWith('.js')),
    style: outputs.find((name) => name.endsWith('.css')),
    icon: `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`,
  };
  writeFileSync(join(made, names.icon), icon);
  const html = readFileSync(join(folder, 'index.html'), 'utf8');
  writeFileSync(
    join(made, 'index.html'),
    html.replace(/%(\w+)%/g, (_match, name) => names[name]),
  );
  const page = join(here, 'dist', madeName);
  rmSync(page, { recursive: true, force: true });
  renameSync(made, page);
}
