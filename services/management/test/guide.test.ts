import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideFolder } from '@sluice/guide';
import { useManagement, type Sender } from './start-management';

const management = useManagement();
let send: Sender;
beforeAll(async () => {
  send = management.as();
});

const root = join(__dirname, '../../..');
const index = readFileSync(join(root, 'docs/guides/README.md'), 'utf8');
/** Addresses of the pages, as `npm run build` made them. */
const paths = readdirSync(guideFolder)
  .filter((name) => name.endsWith('.html'))
  .map((name) => (name === 'index.html' ? '/docs/guide' : `/docs/guide/${name.replace('.html', '')}`));

it('has a page for each file that the index names', () => {
  const files = new Set([...index.matchAll(/\]\(([^:)]+\.md)\)/g)].map(([, file]) => file));
  expect(files.size).toBeGreaterThan(25);
  expect(paths).toHaveLength(files.size + 1);
});

it('shows an index that links to a page by its name', async () => {
  const { text, type } = await send.get('/docs/guide').expect(200);
  expect(type).toBe('text/html');
  expect(text).toContain('<a href="guide/writing">Writing</a>');
  const page = await send.get('/docs/guide/writing').expect(200);
  expect(page.text).toContain('<h1 id="writing">Writing</h1>');
  expect(page.text).toContain('<li><a href="mapping">Mapping and defaults</a></li>');
});

// What a browser would refuse, or ask of another host, cannot be in a page; a link out of it is a person's own step.
it.each(paths)('%s runs nothing, and shows only files of its own', async (path) => {
  const { text, headers } = await send.get(path).expect(200);
  const policy = (headers['content-security-policy'] ?? '').split('; ');
  expect(policy).toEqual(
    expect.arrayContaining(["default-src 'none'", "style-src 'self'", "img-src 'self'", "frame-ancestors 'none'"]),
  );
  expect(policy.join()).not.toMatch(/unsafe|nonce|script|https?:|\*/);
  expect(text).not.toMatch(/<(?:script|style|iframe|object|form)|<[^>]+\s(?:on\w+|style)=|<(?:link|img)[^>]+https?:/);
  // No comment of the sources, no Markdown that was not understood.
  expect(text).not.toMatch(/&lt;!--|\]\(/);
});

it('links to pages, headings and files that are there', async () => {
  const pages = new Map<string, string>();
  for (const path of paths) pages.set(path, (await send.get(path).expect(200)).text);
  const dead: string[] = [];
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const url = new URL(href, `http://host${path}`);
      if (url.host !== 'host') continue;
      const page = pages.get(url.pathname);
      const isThere = page === undefined ? (await send.get(url.pathname)).status === 200 : hasHeading(page, url.hash);
      if (!isThere) dead.push(`${path}: ${href}`);
    }
  }
  expect(dead).toEqual([]);
});

const hasHeading = (page: string, hash: string) =>
  hash === '' || page.includes(` id="${decodeURIComponent(hash.slice(1))}"`);

it('weighs little: a page under 20 kB, all pages under 250 kB, compressed', async () => {
  const sizes = await Promise.all(
    paths.map(async (path) => {
      const { headers } = await send.get(path).set('accept-encoding', 'gzip').expect(200);
      expect(headers['content-encoding']).toBe('gzip');
      return Number(headers['content-length']);
    }),
  );
  expect(Math.max(...sizes)).toBeLessThan(20_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});
