import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { defineConfig } from 'vitepress';
import { codeColours, useClasses } from './code-colours.mjs';

const sections = JSON.parse(readFileSync(new URL('sections.json', import.meta.url), 'utf8'));
const icon = readFileSync(new URL('icon.svg', import.meta.url), 'utf8');
const pages = [{ path: 'docs/guides/README.md', name: 'index' }, ...sections.flatMap((section) => section.pages)];
const names = new Map(pages.map(({ path, name }) => [path, name]));
const paths = new Map(pages.map(({ path, name }) => [`${name}.md`, path]));

/** Management puts the path of its public address in place of `/-path-of-sluice-` (libs/guide/src/index.ts). */
const base = '/-path-of-sluice-/docs/guide/';

const itemOf = ({ title, name }) => ({ text: title, link: `/${name}` });

function sidebarOf({ title, pages: listed }) {
  const items = [];
  for (const page of listed) {
    const outer = items.at(-1);
    if (!page.isInner) items.push(itemOf(page));
    else outer.items = [...(outer.items ?? []), itemOf(page)];
    if (page.isInner) outer.collapsed = true;
  }
  return { text: title, items };
}

/** As GitHub makes them, so that a link to a heading leads there on both. */
const slugify = (title) =>
  title
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

/** What differs from VitePress's Markdown: where links lead, no element has a style of its own, and no text is a template. */
function configure(md) {
  md.core.ruler.push('addresses', ({ tokens, env }) => {
    for (const { children } of tokens) for (const token of children ?? []) address(token, env, children);
  });
  // The policy lets no element have a style of its own.
  md.core.ruler.push('columns of numbers', ({ tokens }) => {
    for (const token of tokens) {
      if (token.attrGet('style') === 'text-align:right') token.attrs = [['class', 'number']];
    }
  });
  const { text } = md.renderer.rules;
  md.renderer.rules.text = (...given) => text(...given).replaceAll('{{', '&#123;&#123;');
}

function address(token, env, siblings) {
  if (token.type === 'image') token.attrSet('src', `./${posix.basename(token.attrGet('src'))}`);
  if (token.type !== 'link_open') return;
  const href = token.attrGet('href');
  if (/^[a-z]+:|^#/.test(href)) return;
  const [file, heading] = href.split('#');
  const target = posix.join(posix.dirname(paths.get(env.relativePath)), file).replace(/\/$/, '');
  const name = names.get(target) ?? names.get(`${target}/README.md`);
  if (name !== undefined) {
    token.attrSet('href', (name === 'index' ? '/' : `/${name}`) + (heading === undefined ? '' : `#${heading}`));
    return;
  }
  // A file of the repository that is no page: its name, for those who have the repository.
  const close = siblings.slice(siblings.indexOf(token)).find(({ type }) => type === 'link_close');
  for (const one of [token, close]) {
    one.tag = 'span';
    one.type = `file_${one.type}`;
  }
  token.attrs = [
    ['class', 'file'],
    ['title', `${target} in the repository`],
  ];
}

const ofProduct = (text, path) => ({ component: 'ProductLink', props: { text, path } });

export default defineConfig({
  base,
  lang: 'en',
  title: 'Sluice',
  titleTemplate: ':title · Sluice',
  description: 'How to build on Sluice, connect accounts, and run it',
  head: [['link', { rel: 'icon', href: `data:image/svg+xml,${encodeURIComponent(icon)}` }]],
  cleanUrls: true,
  ignoreDeadLinks: 'localhostLinks',
  // Its transition would be a style of the page's own.
  appearance: { disableTransition: false },
  router: { prefetchLinks: false },
  markdown: {
    html: false,
    linkify: false,
    attrs: { disable: true },
    emoji: { enabled: [] },
    anchor: { slugify },
    theme: codeColours,
    codeTransformers: [useClasses],
    config: configure,
  },
  themeConfig: {
    siteTitle: 'Sluice',
    nav: [{ text: 'Guide', link: '/' }, ofProduct('Console', 'console'), ofProduct('Reference', 'docs/reference')],
    sidebar: sections.map(sidebarOf),
    outline: { level: [2, 3] },
    search: { provider: 'local' },
  },
  // Without what the policy refuses, a style of an element's own, which the script sets when it is needed; and without the icons that no page has.
  transformHtml: (code) => code.replaceAll(/ style="[^"]*"|<link [^>]*vp-icons\.css"[^>]*>/g, ''),
  vite: {
    build: { assetsInlineLimit: 0, target: 'es2022' },
    // The search of a host that we do not use; it is not installed (pnpm-workspace.yaml).
    resolve: { alias: { '@docsearch/css': 'data:text/javascript,', '@docsearch/js': 'data:text/javascript,' } },
  },
});
