import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const folder = join(__dirname, '..', 'dist', 'page');

/** Before the first page shows anything: about a second on a slow mobile network. */
const kilobytesMax = 140;

/** Files that a browser reads before it draws: the page, what it names, and what those import at once. */
function firstFiles(): ReadonlySet<string> {
  const files = new Set(['index.html']);
  // A set that grows while it is walked: each file is read once.
  for (const name of files) {
    const text = readFileSync(join(folder, name), 'utf8');
    const named = name.endsWith('.html') ? /(?:src|href)="console\/([^"]+)"/g : /\bfrom\s*"\.\/(part-[^"]+)"/g;
    if (!name.endsWith('.css')) for (const [, file = ''] of text.matchAll(named)) files.add(file);
  }
  return files;
}

const kilobytes =
  [...firstFiles()].reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0) / 1_000;

test(`the first load of the console takes at most ${kilobytesMax} kB compressed: ${kilobytes.toFixed(1)}`, () => {
  expect([...firstFiles()].filter((name) => /^console-.*\.(js|css)$/.test(name))).toHaveLength(2);
  expect(kilobytes).toBeLessThan(kilobytesMax);
});
