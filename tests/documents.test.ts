import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { deadLinks, headingsOf, openFences } from './architecture/markdown';
import { markdownPages, readText } from './architecture/source-tree';

const root = join(__dirname, '..');

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

// A checker that finds nothing passes on every page, so it is seen to bite.
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
