import { join } from 'node:path';

/** Where `build.mjs` puts the page, its scripts, the document it shows and the notices of what it is made of. */
export const referenceFolder = join(__dirname, 'page');

/**
 * What a browser may do with the page: run its own files, and call the three APIs. Scalar writes style elements and attributes, so styles
 * may be inline here, as on no other page; what is loaded by a style (fonts, pictures) is still held back. Source: CSP Level 3.
 * @param origins of the APIs that are not served from the page's own origin
 */
export const referencePolicy = (origins: readonly string[]): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'unsafe-inline'`,
    // Arrows of select fields.
    `img-src data:`,
    [`connect-src 'self'`, ...new Set(origins)].join(' '),
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
