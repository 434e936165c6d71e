/**
 * Makes the pages of the guide from the Markdown under `docs/`, into `dist/page`: VitePress builds a copy of the files that
 * `docs/guides/README.md` links to (docs/adr/0041). Nothing happens when no source is newer than the pages.
 * Usage: node libs/guide/build.mjs [--force]
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const folder = join(here, 'dist', 'page');
const site = join(here, 'vitepress');
const ofConsole = join(root, 'libs', 'console', 'browser');
const colours = join(ofConsole, 'style', 'base.css');
const icon = join(ofConsole, 'icon.svg');
const index = 'docs/guides/README.md';

if (process.argv.includes('--force') || isStale()) await buildPages();

function isStale() {
  const made = join(folder, 'index.html');
  if (!existsSync(made)) return true;
  const madeAt = statSync(made).mtimeMs;
  const folders = [site, ...['docs/guides', 'docs/providers', 'docs/runbooks'].map((path) => join(root, path))];
  const read = folders.flatMap((path) => readdirSync(path, { recursive: true }).map((name) => join(path, name)));
  const further = [
    colours,
    icon,
    join(root, 'docs/metrics.md'),
    join(root, 'deploy/release/python/README.md'),
    join(root, 'pnpm-lock.yaml'),
    fileURLToPath(import.meta.url),
  ];
  return [...read, ...further].some((file) => statSync(file).mtimeMs > madeAt);
}

async function buildPages() {
  const startedAt = new Date();
  const { build } = await import('vitepress');
  const sections = readSections();
  mkdirSync(join(here, 'dist'), { recursive: true });
  // A folder of its own: a build beside this one has another, and a service that starts meanwhile reads the old pages or the new ones.
  const made = mkdtempSync(join(here, 'dist', 'made-'));
  try {
    copySources(made, sections);
    await build(made);
    const pages = join(made, '.vitepress', 'dist');
    // Management answers for what is not there; the others are VitePress's own.
    for (const name of ['404.html', 'hashmap.json', 'vp-icons.css']) rmSync(join(pages, name));
    writeFileSync(join(pages, 'notices.txt'), readNotices());
    // What changes while VitePress runs is newer than the pages.
    utimesSync(join(pages, 'index.html'), startedAt, startedAt);
    rmSync(folder, { recursive: true, force: true });
    renameSync(pages, folder);
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
}

/** The sections of the index and the pages that each lists, in their order: the navigation. A page of an inner list belongs to the item above it. */
function readSections() {
  const sections = [];
  for (const line of readFileSync(join(root, index), 'utf8').split('\n')) {
    const [, title] = /^## (.+)$/.exec(line) ?? [];
    if (title !== undefined) sections.push({ title, pages: [] });
    for (const [, text, href] of line.matchAll(/\[([^\]]+)\]\(([^:)]+\.md)\)/g)) {
      const path = posix.join(posix.dirname(index), href);
      sections.at(-1).pages.push({ path, name: nameOf(path), title: text, isInner: line.startsWith('  ') });
    }
  }
  return sections;
}

/** `docs/guides/writing.md` is `writing`, `docs/runbooks/README.md` is `runbooks`, `docs/providers/hubspot.md` is `providers-hubspot`. */
function nameOf(path) {
  return path
    .replace(/^docs\/(?:guides\/)?/, '')
    .replace(/(?:\/README)?\.md$/, '')
    .replaceAll('/', '-');
}

/** The pages side by side, as they are published, with their pictures and what VitePress is configured with. */
function copySources(made, sections) {
  const pages = [{ path: index, name: 'index' }, ...sections.flatMap((section) => section.pages)];
  for (const { path, name } of pages) {
    // Comments mark the tables that tests compare. No other HTML is accepted.
    const text = readFileSync(join(root, path), 'utf8').replace(/^<!--[^]*?-->\n/gm, '');
    writeFileSync(join(made, `${name}.md`), text);
    for (const [, picture] of text.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)) {
      cpSync(join(root, dirname(path), picture), join(made, basename(picture)));
    }
  }
  cpSync(site, join(made, '.vitepress'), { recursive: true });
  cpSync(icon, join(made, '.vitepress', 'icon.svg'));
  writeFileSync(join(made, '.vitepress', 'sections.json'), JSON.stringify(sections));
  writeFileSync(join(made, '.vitepress', 'theme', 'colours.css'), readColours());
}

/** The colours of the console. Hers follow the reader's system; a reader of the guide chooses by a switch, which sets a class. */
function readColours() {
  const [light = '', dark = ''] = readFileSync(colours, 'utf8')
    .split('@media (prefers-color-scheme: dark)')
    .map((part) => (part.match(/^\s+--[\w-]+: .+;$/gm) ?? []).join('\n'));
  return `:root {\n${light}\n}\n.dark {\n${dark}\n}\n`;
}

/** The licences of what VitePress puts into the scripts. */
function readNotices() {
  const modules = join(realpathSync(join(here, 'node_modules', 'vitepress')), '..');
  return ['vitepress', 'vue', '@vueuse/core', 'minisearch', 'mark.js', 'focus-trap']
    .map((name) => {
      const file = readdirSync(join(modules, name)).find((entry) => /^licen[cs]e/i.test(entry));
      return `${name}\n\n${readFileSync(join(modules, name, file), 'utf8')}`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}
