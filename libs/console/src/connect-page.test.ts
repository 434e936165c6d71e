import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** The bound of the issue: the page is usable within a second. */
const kilobytesMax = 90;

const folder = join(__dirname, '..', 'dist', 'connect');
const files = readdirSync(folder);
const kilobytes = files.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0) / 1_000;

test(`the connect page takes at most ${kilobytesMax} kB compressed: ${kilobytes.toFixed(1)}`, () => {
  expect(files.filter((name) => /^connect-.*\.(js|css)$/.test(name))).toHaveLength(2);
  expect(kilobytes).toBeLessThan(kilobytesMax);
});
