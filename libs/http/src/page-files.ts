import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Reply } from './route';

/** A file of pages that were made when the packages were compiled, ready to be sent. */
interface PageFile {
  /** A page ends in `.html`; every other file carries a hash of its content in its name. */
  readonly name: string;
  readonly contentType: string;
  readonly content: Buffer;
  /** The same, compressed. Absent for pictures, which are. */
  readonly gzipped: Buffer | undefined;
  /** Strong validator, quoted. Source: RFC 9110, 8.8.3. */
  readonly etag: string;
}

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
};

/**
 * The files of a folder and of those in it, by name (`index.html`, `assets/app.js`); none where it was not made (`npm run build`).
 * @param rewrite what a text becomes before it is served; default: nothing else
 */
export function readPageFiles(folder: string, rewrite?: (text: string) => string) {
  const all = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  const names = all.filter((name) => contentTypes[extname(name)]).map((name) => name.replaceAll(sep, '/'));
  const files = new Map<string, PageFile | undefined>(names.map((name) => [name, undefined]));
  return {
    has: (name: string) => files.has(name),
    /** Read and compressed when it is first asked for: files do not change while a process runs. */
    find: (name: string): PageFile | undefined => {
      if (!files.has(name)) return undefined;
      const file = files.get(name) ?? toFile(folder, name, rewrite);
      files.set(name, file);
      return file;
    },
  };
}

function toFile(folder: string, name: string, rewrite?: (text: string) => string): PageFile {
  const read = readFileSync(join(folder, name));
  const content = rewrite === undefined || name.endsWith('.png') ? read : Buffer.from(rewrite(read.toString()));
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  const gzipped = name.endsWith('.png') ? undefined : gzipSync(content, { level: 9 });
  return { name, contentType: contentTypes[extname(name)] ?? '', content, gzipped, etag };
}

/** Source: RFC 9110, 12.5.3. An encoding with `q=0` is refused. */
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

/**
 * The reply to a request for a file: compressed where that is accepted, 304 where the caller has it.
 * @param policy Content-Security-Policy of the page
 * @param isOpened whether a window of another origin may open the page and be spoken to by it
 * @param header value of a request header
 */
export function pageReply(
  { name, etag, contentType, content, gzipped }: PageFile,
  { policy, isOpened = false }: { readonly policy: string; readonly isOpened?: boolean },
  header: (name: string) => string | undefined,
): Reply {
  const headers = {
    'Content-Security-Policy': policy,
    // The policy says what the page may do; that no window of another origin may open it is said here.
    'Cross-Origin-Opener-Policy': isOpened ? 'unsafe-none' : 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    Vary: 'Accept-Encoding',
    // A page is asked for again each time; the rest never, because another content has another name.
    'Cache-Control': name.endsWith('.html') ? 'no-cache' : 'public, max-age=31536000, immutable',
    ETag: etag,
  };
  if (header('if-none-match') === etag) return { status: 304, headers };
  if (gzipped === undefined || !acceptsGzip.test(header('accept-encoding') ?? '')) {
    return { headers, file: { contentType, content } };
  }
  return { headers: { ...headers, 'Content-Encoding': 'gzip' }, file: { contentType, content: gzipped } };
}
