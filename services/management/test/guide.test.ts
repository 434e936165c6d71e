import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guideFolder } from '@sluice/guide';
import { useManagement, type Sender } from './start-management';

const management = useManagement();
// Behind a proxy that puts a path before ours and takes it away.
const behindProxy = useManagement(undefined, undefined, { SLUICE_PUBLIC_URL: "https://example.com/it's/$&" });
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
  expect(text).toContain('<a href="/docs/guide/writing">Writing</a>');
  const page = await send.get('/docs/guide/writing').expect(200);
  expect(page.text).toContain('<h1 id="writing" tabindex="-1">Writing');
  // Highlighted, by classes.
  expect(page.text).toMatch(/<code><span class="line"><span class="code-\w+">/);
  // Before and after it, in the order of the index.
  expect(page.text).toContain('pager-link prev" href="/docs/guide/connect-page"');
  expect(page.text).toContain('pager-link next" href="/docs/guide/mapping"');
});

// What a browser would refuse, or ask of another host, cannot be in a page; a link out of it is a person's own step.
it.each(paths)('%s runs only scripts of its own, and shows only files of its own', async (path) => {
  const { text, headers } = await send.get(path).expect(200);
  const policy = (headers['content-security-policy'] ?? '').split('; ');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy.join()).not.toMatch(/unsafe|nonce|https?:|\*/);
  const scripts = [...text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
  const inline = scripts.filter(([, attributes = '']) => !attributes.includes(' src='));
  const hashes = inline.map(([, , script = '']) => createHash('sha256').update(script).digest('base64'));
  expect(policy).toContain(["script-src 'self'", ...hashes.map((hash) => `'sha256-${hash}'`)].join(' '));
  expect(text).not.toMatch(/<(?:style|iframe|object|form)\b|<[^>]+\s(?:on\w+|style)=|<(?:link|img|script)[^>]+https?:/);
  // No comment of the sources, no Markdown that was not understood.
  expect(text.replace(/<script[^]*?<\/script>/g, '')).not.toMatch(/&lt;!--|\]\(/);
});

it('links to pages, headings and files that are there', async () => {
  const pages = new Map<string, string>();
  for (const path of paths) pages.set(path, (await send.get(path).expect(200)).text);
  const dead: string[] = [];
  const found = new Map<string, boolean>();
  for (const [path, text] of pages) {
    for (const [, href = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
      const url = new URL(href, `http://host${path}`);
      if (url.host !== 'host') continue;
      const page = pages.get(url.pathname.replace(/\/$/, ''));
      const isThere = page === undefined ? await isServed(url.pathname, found) : hasHeading(page, url.hash);
      if (!isThere) dead.push(`${path}: ${href}`);
    }
  }
  expect(dead).toEqual([]);
});

async function isServed(path: string, found: Map<string, boolean>): Promise<boolean> {
  const known = found.get(path) ?? (await send.get(path)).status === 200;
  found.set(path, known);
  return known;
}

const hasHeading = (page: string, hash: string) =>
  hash === '' || page.includes(` id="${decodeURIComponent(hash.slice(1))}"`);

it('names its files by the path of the public address, also in its scripts', async () => {
  const { text, headers } = await behindProxy.as().get('/docs/guide/writing').expect(200);
  const path = '/it%27s/$%26';
  expect(text).toContain(`href="${path}/docs/guide/mapping"`);
  expect(text).toContain(`href="${path}/console"`);
  const [, script = ''] = /<script>(window[^]*?)<\/script>/.exec(text) ?? [];
  expect(script).toContain(`\\"base\\":\\"${path}/docs/guide/\\"`);
  const hash = createHash('sha256').update(script).digest('base64');
  expect(headers['content-security-policy']).toContain(`'sha256-${hash}'`);
  const [, framework = ''] = /href="[^"]*(\/docs\/guide\/assets\/chunks\/framework[^"]*)"/.exec(text) ?? [];
  const program = (await behindProxy.as().get(framework).expect(200)).text;
  expect(program).toContain(`"${path}/docs/guide/"`);
  // A length that was computed when it was built would be that of the placeholder.
  expect(program).not.toContain(`slice(${'/-path-of-sluice-/docs/guide/'.length})`);
});

const weightOf = async (path: string) => {
  const { headers } = await send.get(path).set('accept-encoding', 'gzip').expect(200);
  expect(headers['content-encoding']).toBe('gzip');
  return Number(headers['content-length']);
};

it('weighs little: what the first page loads is under 150 kB, compressed, and the index of the search under 100 kB', async () => {
  const { text } = await send.get('/docs/guide').expect(200);
  const files = [...text.matchAll(/<(?:link|script) [^>]*(?:href|src)="(\/[^"]+)"/g)].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(4);
  const sizes = await Promise.all(['/docs/guide', ...files].map(weightOf));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150_000);
  const [searchIndex = ''] = readdirSync(join(guideFolder, 'assets/chunks')).filter((name) =>
    name.includes('SearchIndex'),
  );
  expect(await weightOf(`/docs/guide/assets/chunks/${searchIndex}`)).toBeLessThan(100_000);
});
