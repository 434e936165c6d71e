import { createHash } from 'node:crypto';
import { join } from 'node:path';

/** Where `build.mjs` puts the pages (`<page>.html`), and in `assets` their scripts, their stylesheet and their pictures. */
export const guideFolder = join(__dirname, 'page');

/** What the build writes where the path of management's public address belongs. */
const placeholder = '/-path-of-sluice-';

/**
 * The text of a file of the guide, as it is served under `path`.
 * @param path of management's public address, as a URL has it; `/` where that has none
 */
export function guideUnder(path: string): (text: string) => string {
  // It stands in strings of scripts as well.
  const plain = path.replace(/\/$/, '').replaceAll("'", '%27').replaceAll('&', '%26');
  return (text) => text.replaceAll(placeholder, () => plain);
}

/**
 * What a browser may do with a page: run the scripts of the guide and those in the page, by their hashes, and show its stylesheet and pictures.
 * The stylesheet holds its icons as `data:`. Source: CSP Level 3.
 * @param page the text of a page as it is served; every page has the same scripts
 */
export function guidePolicy(page: string): string {
  const hashes = [...page.matchAll(/<script(?![^>]* src=)[^>]*>([^]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    `default-src 'none'`,
    ["script-src 'self'", ...hashes].join(' '),
    `style-src 'self'`,
    `img-src 'self' data:`,
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}
