import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { deadLinks, headingsOf, openFences } from './architecture/markdown';
import { namesOf, picturedPages } from './browser/console/picture';
import { blocksOf, isShown, snippetsOf, withReplies } from './documents/guide-blocks';
import { markdownPages, readText, textFiles } from './architecture/source-tree';

const root = join(__dirname, '..');
/** Made elsewhere, or this very list; and a provider's own tracker. */
const skipped = /^pnpm-lock|^tests\/documents\.test\.ts$|^docs\/providers\/from-files|\/klaviyo\.yaml$/;

describe('the pages', () => {
  const pages = markdownPages();

  it('were found', () => {
    expect(pages).toContain('README.md');
    expect(pages).toContain('docs/guides/operate.md');
  });

  it('link to what is there: files, and headings of pages', () => {
    const headings = (path: string) => headingsOf(readText(path));
    const exists = (path: string) => existsSync(join(root, path));
    expect(pages.flatMap((page) => deadLinks({ page, text: readText(page), exists, headings }))).toEqual([]);
  });

  it('close every block of code with the fence that opened it', () => {
    expect(pages.flatMap((page) => openFences(readText(page)).map((fence) => `${page}: ${fence}`))).toEqual([]);
  });
});

// A link of the console opens the page and no heading, so nobody sees that the heading was renamed.
describe('the words that the console explains in the guide', () => {
  const table = readText('libs/console/browser/guide-terms.ts');
  const addresses = [...table.matchAll(/^ {2}\S.*: '([\w-]+)(?:#([\w-]+))?',$/gm)];

  it('lead to pages and headings that are there', () => {
    expect(addresses.length).toBeGreaterThan(15);
    expect(addresses).toHaveLength(table.match(/^ {2}\S/gm)?.length ?? 0);
    const dead = addresses.filter(([, page = '', heading]) => {
      const path = `docs/guides/${page}.md`;
      return !existsSync(join(root, path)) || (heading !== undefined && !headingsOf(readText(path)).has(heading));
    });
    expect(dead.map(([line]) => line.trim())).toEqual([]);
  });

  it('are linked through this table alone', () => {
    const linking = textFiles().filter(
      (path) => path.startsWith('libs/console/browser/') && readText(path).includes('docs/guide/'),
    );
    expect(linking).toEqual(['libs/console/browser/parts/guide-link.tsx']);
  });
});

describe('the pictures of the console', () => {
  const folder = 'docs/guides/images';
  const files = readdirSync(join(root, folder));

  it('show each main page in both widths and both colours', () => {
    expect(picturedPages.flatMap(namesOf).filter((name) => !files.includes(name))).toEqual([]);
  });

  it('weigh 2 MB together at most, and each is of a main page or shown', () => {
    const bytes = files.reduce((sum, file) => sum + statSync(join(root, folder, file)).size, 0);
    expect(bytes).toBeLessThanOrEqual(2_000_000);
    const shown = markdownPages().map(readText).join('');
    const listed = picturedPages.flatMap(namesOf);
    expect(files.filter((file) => !listed.includes(file) && !shown.includes(`images/${file}`))).toEqual([]);
  });
});

it('each place that the path of a write names exists: a function, a class, a constant or a method of its file', () => {
  const places = [...readText('docs/FLOW.md').matchAll(/`([\w./-]+\.tsx?):(\w+)`/g)];
  expect(places.length).toBeGreaterThan(50);
  const missing = places.filter(([, file = '', name = '']) => {
    if (!existsSync(join(root, file))) return true;
    const declared = String.raw`(?:function|class|const|async)\*? ${name}\b|^  (?:private |readonly )*${name}\(`;
    return !new RegExp(declared, 'm').test(readText(file));
  });
  expect(missing.map(([place]) => place)).toEqual([]);
});

// A link without the cookie can be passed on: whoever finishes it connects an own account to another's group.
it('what a page does to connect ties the link to its browser', () => {
  const blocks = markdownPages().flatMap(
    (page) => readText(page).match(/```js\n[^`]*?`[^`]*\/oauth-connect`[^]*?```/g) ?? [],
  );
  expect(blocks.length).toBeGreaterThan(0);
  for (const block of blocks) {
    expect(block).toContain('enableCSRFProtection: true');
    expect(block).toContain("credentials: 'include'");
  }
});

// What a step says besides its code has to say the same.
describe("a step of a guide that requests the address of a provider's page", () => {
  const stepsOf = (page: string) => readText(page).match(/^\d\. [^]*?(?=^\d\. |^\S)/gm) ?? [];
  const guides = markdownPages().filter((page) => page.startsWith('docs/guides/'));
  const links = guides.flatMap((page) =>
    stepsOf(page).flatMap((step) => (/\boauth-connect\b/.test(step) ? [{ page, step }] : [])),
  );

  it('was found', () => {
    expect(links.map(({ page }) => page)).toContain('docs/guides/connecting.md');
  });

  it.each(links)(
    '$page: has a page of the builder tie the link to its browser, by what it sends and that it takes the cookie',
    ({ step }) => {
      expect(step).toMatch(/enableCSRFProtection: true|"enableCSRFProtection": true/);
      expect(step).toContain("credentials: 'include'");
    },
  );

  it.each(['hubspot', 'salesforce'])('is one for all: the guide of %s leads to it', (provider) => {
    expect(readText(`docs/guides/connect-${provider}.md`)).toContain('(connecting.md#with-a-page-of-the-provider)');
  });
});

// A comment that cites what its reader does not have explains nothing.
describe('what is cited', () => {
  const page = String.raw`(?:design|reliability|performance|reads|api-surface|cost|toolchain|models)\.md`;
  const outside = new RegExp(
    [
      String.raw`\.\./shared\b`,
      String.raw`\bshared (?:performance )?notes`,
      String.raw`\bdesign, sections?\b`,
      String.raw`\breliability (?:notes|reference)`,
      String.raw`(?<![\w/-])${page}`,
      String.raw`\bconventions,? section`,
      String.raw`\bissues? \d{1,2}\b(?!: 409)`,
      String.raw`source: '[AB]\d`,
    ].join('|'),
    'i',
  );
  const positions = (text: string) =>
    text.split('\n').flatMap((line, at) => (outside.test(line) ? [`line ${at + 1}: ${line.trim()}`] : []));

  it('is in the repository', () => {
    const files = textFiles().filter((path) => !path.startsWith('docs/contributing/') && !skipped.test(path));
    expect(files.length).toBeGreaterThan(100);
    expect(files.flatMap((path) => positions(readText(path)).map((position) => `${path}, ${position}`))).toEqual([]);
  });

  it.each([
    '// Source: design, section 5.9.',
    '// Reliability notes 2.18: a stampede',
    ' * (reliability.md, 4.3)',
    '// Issue 5, item 2: each half',
    "source: 'A3',",
    'they lie in `../shared`',
  ])('finds %s', (line) => expect(positions(line)).toHaveLength(1));
});

// A checker that finds nothing passes on every page, so it is tried on a violation.
describe('the checker of pages', () => {
  const found = (text: string) =>
    deadLinks({
      page: 'docs/a.md',
      text,
      exists: (path) => ['README.md', 'docs/b.md', 'docs/a.md'].includes(path),
      headings: () => new Set(['what-is-there', 'what-is-there-1']),
    });

  it.each([
    ['a file that is not there', 'see [b](c.md)', ['docs/a.md:1: c.md is not there']],
    ['a heading that is not there', '\n[b](b.md#missing)', ['docs/a.md:2: b.md#missing has no such heading']],
    ['a heading of the page itself', '[here](#missing)', ['docs/a.md:1: #missing has no such heading']],
  ])('names %s', (_, text, problems) => expect(found(text)).toEqual(problems));

  it.each([
    ['files and headings that are there', '[r](../README.md), [b](b.md#what-is-there-1), [here](#what-is-there)'],
    ['other sites', '[x](https://example.com/missing.md), [m](mailto:a@example.com)'],
    ['code', '`[a](missing.md)`\n\n```md\n[a](missing.md)\n```\n'],
  ])('passes %s', (_, text) => expect(found(text)).toEqual([]));

  it('names headings as GitHub does', () => {
    const text = '# What is `there`?\n\n## A & B\n\n```sh\n# no heading\n```\n\n### What is there\n';
    expect([...headingsOf(text)]).toEqual(['what-is-there', 'a--b', 'what-is-there-1']);
  });

  it('names a fence that is not closed, and one of four', () => {
    expect(openFences('```sh\nls\n```\n')).toEqual([]);
    expect(openFences('a\n\n```sh\nls\n')).toEqual(['line 3: ```sh is not closed']);
    expect(openFences('````\na\n\n```sql\nselect 1\n````\n')).toEqual(['line 1: ```` has a block within it']);
  });
});

describe('the checker of replies', () => {
  const page = '1. Do\n\n   ```sh\n   ls\n   ```\n\n   ```text reply\n   a\n   ```\n';

  it('pairs a command with what it prints, in a list too', () => {
    const [snippet] = snippetsOf(blocksOf(page));
    expect(snippet).toMatchObject({ block: { language: 'sh', text: 'ls\n' }, reply: { text: 'a\n' } });
    expect(withReplies(page, [[snippet?.reply ?? fail(), 'b\n\nc']])).toContain('reply\n   b\n\n   c\n   ```');
    expect(() => snippetsOf(blocksOf('```json reply\n{}\n```\n'))).toThrow('without a command');
  });

  it.each([
    ['{ "id": "0199a2f0-5b7e-7c31-9b52-0f4b8c1d2e3f" }', '{ "id": "01a21551-5e82-7225-b5dc-6c765924613c" }', true],
    ['{ "a": 1, … "c": { "d": 2 } }', '{\n "a": 1,\n "b": 7,\n "c": { "d": 2 }\n}', true],
    ['{ "status": "created" }', '{ "status": "working" }', false],
    ['{ "a": 1, … "c": { "d": 2 } }', '{ "a": 1, "b": 7, "c": { "d": 3 } }', false],
    ['{ "a": 1 }', '{ "a": 1, "b": 2 }', false],
  ])('%s shows %s: %s', (shown, printed, is) => expect(isShown(shown, printed)).toBe(is));
});

function fail(): never {
  throw new Error('no reply');
}

// A report that nobody tries again is a story.
it('every field report has a test of its number, and every such test a report', () => {
  const rows = readText('docs/providers/field-reports.md').match(/^\| [A-Z]\d+(?= \|)/gm) ?? [];
  const files = textFiles().filter((path) => path.endsWith('field-reports.int.test.ts'));
  const titles = files.flatMap((path) => readText(path).match(/(?<=['"])[A-Z]\d+(?=[:'])/g) ?? []);
  expect(rows.length).toBeGreaterThan(50);
  expect([...new Set(titles)].toSorted()).toEqual(rows.map((row) => row.slice(2)).toSorted());
});
