/**
 * Makes the page of the API reference, into `dist/page`: Scalar's browser build and the page's own script as modules with hashes of their
 * content in their names, the three documents of `docs/api` as one, and the notices of what the scripts are made of. Nothing happens when no
 * source is newer than the page.
 * Usage: node libs/reference/build.mjs [--force]
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
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
import { leftOut } from './bundled-packages.mjs';
import { mergeDocuments, readDocuments } from './documents.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const sources = join(here, 'browser');
const api = join(root, 'docs', 'api');
const page = join(here, 'dist', 'page');

const withoutUnused = {
  name: 'without unused parts',
  setup: ({ onResolve, onLoad }) => {
    onResolve({ filter: leftOut }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: 'nothing', namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'export default undefined' }));
  },
};

if (process.argv.includes('--force') || isStale()) await buildPage();

function isStale() {
  const made = join(page, 'index.html');
  if (!existsSync(made)) return true;
  const madeAt = statSync(made).mtimeMs;
  const read = [here, sources, api].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => join(folder, name)),
  );
  return [...read, join(root, 'pnpm-lock.yaml')].some((file) => statSync(file).mtimeMs > madeAt);
}

async function buildPage() {
  const { build } = await import('esbuild');
  const notices = readFileSync(join(here, 'notices.txt'), 'utf8');
  const noticesName = `notices-${hashOf(notices)}.txt`;
  mkdirSync(join(here, 'dist'), { recursive: true });
  // Replaces the old one atomically: a service that starts meanwhile reads either.
  const made = mkdtempSync(join(here, 'dist', 'page-'));
  const { metafile } = await build({
    entryPoints: [join(sources, 'main.mjs')],
    entryNames: 'reference-[hash]',
    chunkNames: 'part-[hash]',
    outdir: made,
    bundle: true,
    splitting: true,
    minify: true,
    metafile: true,
    format: 'esm',
    target: ['es2022'],
    loader: { '.css': 'text' },
    plugins: [withoutUnused],
    legalComments: 'none',
    banner: { js: `/* The licences of what this is made of: ${noticesName} beside this file. */` },
    logLevel: 'warning',
  });
  const [script] = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint?.endsWith('main.mjs'));
  const text = JSON.stringify(mergeDocuments(readDocuments()));
  const names = { script: basename(script), document: `api-${hashOf(text)}.json` };
  writeFileSync(join(made, names.document), text);
  writeFileSync(join(made, noticesName), notices);
  const html = readFileSync(join(sources, 'index.html'), 'utf8');
  writeFileSync(
    join(made, 'index.html'),
    html.replace(/%(\w+)%/g, (_match, name) => names[name]),
  );
  rmSync(page, { recursive: true, force: true });
  renameSync(made, page);
}

function hashOf(text) {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}
