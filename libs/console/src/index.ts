import { join } from 'node:path';

/** Where `build.mjs` puts the page, its script, its stylesheet and its icon. */
export const consoleFolder = join(__dirname, 'page');

/** Where it puts the page on which customers connect, and its files. */
export const connectFolder = join(__dirname, 'connect');

/**
 * What a browser may do with either page: run and show its own files, ask its own origin, and the write API's where it has one. No inline
 * script or style, no frame around it, and no text that becomes a script (Trusted Types). Source: CSP Level 3.
 * @param origins of the write API, if its address is known
 */
export const consolePolicy = (origins: readonly string[]): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'`,
    `img-src 'self'`,
    [`connect-src 'self'`, ...origins].join(' '),
    `base-uri 'none'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `require-trusted-types-for 'script'`,
    `trusted-types 'none'`,
  ].join('; ');
