import { join } from 'node:path';

/** Where `build.mjs` puts the pages (`<page>.html`), their stylesheet and their pictures. */
export const guideFolder = join(__dirname, 'page');

/** What a browser may do with a page: show it with its stylesheet and pictures. Nothing runs. Source: CSP Level 3. */
export const guidePolicy = [
  `default-src 'none'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');
