/**
 * Makes the pages of the guide from the Markdown under `docs/`, into `dist/page`: a page per file that `docs/guides/README.md` links to, one
 * stylesheet, and the pictures. Nothing happens when no source is newer than the pages.
 * Usage: node libs/guide/build.mjs [--force]
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
import { dirname, extname, join, posix } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const sources = ['docs/guides', 'docs/providers', 'docs/runbooks'];
const folder = join(here, 'dist', 'page');
const styleFile = join(here, 'style.css');
const index = 'docs/guides/README.md';

if (process.argv.includes('--force') || isStale()) await buildPages();

function isStale() {
  const made = join(folder, 'index.html');
  if (!existsSync(made)) return true;
  const madeAt = statSync(made).mtimeMs;
  const read = sources.flatMap((path) =>
    readdirSync(join(root, path), { recursive: true }).map((name) => join(root, path, name)),
  );
  const further = [
    join(root, 'docs/metrics.md'),
    join(root, 'pnpm-lock.yaml'),
    styleFile,
    fileURLToPath(import.meta.url),
  ];
  return [...read, ...further].some((file) => statSync(file).mtimeMs > madeAt);
}

async function buildPages() {
  const { default: markdownIt } = await import('markdown-it');
  // Comments mark the tables that tests compare; `withoutComments` removes them, and no other HTML is accepted.
  const markdown = markdownIt({ html: false, linkify: false });
  addRules(markdown);
  const sections = readSections(markdown);
  const paths = [index, ...sections.flatMap(({ pages }) => pages.map(({ path }) => path))];
  const names = new Map(paths.map((path) => [path, nameOf(path)]));
  // Replaces the old ones atomically: a service that starts meanwhile reads either.
  mkdirSync(join(here, 'dist'), { recursive: true });
  const made = mkdtempSync(join(here, 'dist', 'page-'));
  const files = new Map();
  const fileOf = (path) => {
    const content = readFileSync(path);
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 8);
    const name = `${posix.basename(path, extname(path)).replace('style', 'guide')}-${hash}${extname(path)}`;
    files.set(name, content);
    return name;
  };
  const site = { markdown, sections, names, paths, fileOf, style: fileOf(styleFile) };
  for (const path of paths) files.set(`${names.get(path)}.html`, renderPage(path, site));
  for (const [name, content] of files) writeFileSync(join(made, name), content);
  rmSync(folder, { recursive: true, force: true });
  renameSync(made, folder);
}

/** The sections of the index and the pages that each lists, in their order: the navigation. */
function readSections(markdown) {
  const sections = [];
  const tokens = markdown.parse(readSource(index), { path: index });
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open' && token.tag === 'h2')
      sections.push({ title: tokens[at + 1].content, pages: [] });
    if (token.type !== 'inline' || sections.length === 0) continue;
    const found = token.children.flatMap((child, position) => {
      const href = child.type === 'link_open' ? child.attrGet('href') : '';
      if (!/^[^:]+\.md$/.test(href)) return [];
      return [{ path: posix.join(posix.dirname(index), href), title: token.children[position + 1].content }];
    });
    sections.at(-1).pages.push(...found);
  }
  return sections;
}

/** `docs/guides/writing.md` is `writing`, `docs/runbooks/README.md` is `runbooks`, `docs/providers/hubspot.md` is `providers-hubspot`. */
function nameOf(path) {
  if (path === index) return 'index';
  return path
    .replace(/^docs\/(?:guides\/)?/, '')
    .replace(/(?:\/README)?\.md$/, '')
    .replaceAll('/', '-');
}

function readSource(path) {
  return readFileSync(join(root, path), 'utf8').replace(/^<!--[^]*?-->\n/gm, '');
}

/** What differs from plain Markdown: the addresses of links and pictures, ids of headings, and what scrolls by itself on a narrow screen. */
function addRules({ renderer, core }) {
  const { rules } = renderer;
  const attributes = { table_open: '<div class="wide" tabindex="0"><table>\n', table_close: '</table></div>\n' };
  for (const [name, text] of Object.entries(attributes)) rules[name] = () => text;
  rules.fence = (tokens, at) => `<pre tabindex="0"><code>${escapeHtml(tokens[at].content)}</code></pre>\n`;
  core.ruler.push('ids of headings', ({ tokens, env }) => {
    env.headings = [];
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'heading_open') continue;
      const title = tokens[at + 1].children.map(({ content }) => content).join('');
      const id = idOf(title, env.headings);
      token.attrSet('id', id);
      env.headings.push({ id, title, level: token.tag });
    }
  });
  // The policy lets no element have a style of its own.
  core.ruler.push('columns of numbers', ({ tokens }) => {
    for (const token of tokens) {
      if (token.attrGet('style') === 'text-align:right') token.attrs = [['class', 'number']];
    }
  });
  core.ruler.push('addresses', ({ tokens, env }) => {
    if (env.site === undefined) return;
    for (const { children } of tokens) for (const token of children ?? []) address(token, env, children);
  });
}

function address(token, { site, path }, siblings) {
  if (token.type === 'image') {
    const file = join(root, dirname(path), token.attrGet('src'));
    token.attrSet('src', hrefOf(path, site.fileOf(file)));
    return;
  }
  if (token.type !== 'link_open') return;
  const href = token.attrGet('href');
  if (/^[a-z]+:|^#/.test(href)) return;
  const [file, heading] = href.split('#');
  const target = posix.join(posix.dirname(path), file).replace(/\/$/, '');
  const name = site.names.get(target) ?? site.names.get(`${target}/README.md`);
  if (name !== undefined) {
    token.attrSet('href', hrefOf(path, name) + (heading === undefined ? '' : `#${heading}`));
    return;
  }
  // A file of the repository that is no page: its name, for those who have the repository.
  const close = siblings.slice(siblings.indexOf(token)).find(({ type }) => type === 'link_close');
  for (const one of [token, close]) one.tag = 'span';
  token.attrs = [
    ['class', 'file'],
    ['title', `${target} in the repository`],
  ];
}

/** Addresses are relative, because a proxy may put a path before them: the index is at `…/guide`, every other page beside its files. */
function hrefOf(path, name) {
  if (name === 'index') return path === index ? 'guide' : '../guide';
  return path === index ? `guide/${name}` : name;
}

/** As GitHub makes them, so that a link to a heading leads there on both. */
function idOf(title, before) {
  const plain = title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');
  const taken = new Set(before.map(({ id }) => id));
  let free = plain;
  for (let n = 1; taken.has(free); n += 1) free = `${plain}-${n}`;
  return free;
}

function renderPage(path, site) {
  const env = { site, path };
  const body = site.markdown.render(readSource(path), env);
  const [{ title }] = env.headings;
  const contents = env.headings.filter(({ level }) => level === 'h2');
  const list = contents.map((heading) => `<li><a href="#${heading.id}">${escapeHtml(heading.title)}</a></li>`);
  const toc = list.length < 3 ? '' : `<nav class="contents" aria-label="On this page"><ul>${list.join('')}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)} · Sluice</title>
<link rel="stylesheet" href="${hrefOf(path, site.style)}">
</head>
<body>
<header><a href="${hrefOf(path, 'index')}">Sluice: the guide</a> <a class="jump" href="#pages">All pages</a></header>
<main>
${path === index ? body : body.replace('</h1>\n', `</h1>\n${toc}\n`)}
${neighbours(path, site)}
</main>
<nav id="pages" aria-label="All pages">
${site.sections.map((section) => renderSection(section, path, site)).join('\n')}
</nav>
</body>
</html>
`;
}

function renderSection({ title, pages }, path, { names }) {
  const items = pages.map((page) => {
    const current = page.path === path ? ' aria-current="page"' : '';
    return `<li><a href="${hrefOf(path, names.get(page.path))}"${current}>${escapeHtml(page.title)}</a></li>`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>${items.join('')}</ul>`;
}

/** The pages before and after this one, in the order of the index. */
function neighbours(path, { paths, names, sections }) {
  const titles = new Map(sections.flatMap(({ pages }) => pages.map((page) => [page.path, page.title])));
  const at = paths.indexOf(path);
  const link = (page, rel) =>
    titles.has(page)
      ? `<a rel="${rel}" href="${hrefOf(path, names.get(page))}">${escapeHtml(titles.get(page))}</a>`
      : '';
  return `<footer>${link(paths[at - 1], 'prev')} ${link(paths[at + 1], 'next')}</footer>`;
}

function escapeHtml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
