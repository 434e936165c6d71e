import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

/** A file of the console, ready to be sent. */
export interface ConsoleFile {
  /** `index.html` is the page; the others carry a hash of their content in their names. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** The same, compressed. */
  readonly gzipped: Buffer;
  /** Strong validator, quoted. Source: RFC 9110, 8.8.3. */
  readonly etag: string;
}

/** Where `build.mjs` puts them. */
const folder = join(__dirname, 'page');

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * What a browser may do with the page: run and show its own files, ask its own origin, and nothing else. No inline script or style, no
 * frame around it, and no text that becomes a script (Trusted Types). Source: CSP Level 3.
 */
const consolePolicy = [
  `default-src 'none'`,
  `script-src 'self'`,
  `style-src 'self'`,
  `img-src 'self'`,
  `connect-src 'self'`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
  `require-trusted-types-for 'script'`,
  `trusted-types 'none'`,
].join('; ');

/** What the page may do stands in its policy; that it may not be opened by a window of another origin, here. */
const pageHeaders = {
  'Content-Security-Policy': consolePolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
};

/** The file of the page itself. */
export const consolePage = 'index.html';

/** Source: RFC 9110, 12.5.3. An encoding with `q=0` is refused. */
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

/**
 * The reply to a request for a file: compressed where that is accepted, 304 where the caller has it.
 * @param header value of a request header
 */
export function consoleReply(
  { name, etag, contentType, content, gzipped }: ConsoleFile,
  header: (name: string) => string | undefined,
) {
  // The page is asked for again each time; the rest never, because another content has another name.
  const cache = name === consolePage ? 'no-cache' : 'public, max-age=31536000, immutable';
  const headers = { ...pageHeaders, 'Cache-Control': cache, ETag: etag };
  if (header('if-none-match') === etag) return { status: 304, headers };
  if (!acceptsGzip.test(header('accept-encoding') ?? '')) return { headers, file: { contentType, content } };
  return { headers: { ...headers, 'Content-Encoding': 'gzip' }, file: { contentType, content: gzipped } };
}

/** The files by name; empty where the console was not built (`npm run build`). Read once: they do not change while a process runs. */
export function readConsole(): ReadonlyMap<string, ConsoleFile> {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return new Map(names.flatMap((name) => toFile(name)).map((file) => [file.name, file]));
}

function toFile(name: string): ConsoleFile[] {
  const contentType = contentTypes[extname(name)];
  if (contentType === undefined) return [];
  const content = readFileSync(join(folder, name));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  return [{ name, contentType, content, gzipped: gzipSync(content, { level: 9 }), etag }];
}
