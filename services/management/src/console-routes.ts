import { consolePolicy, readConsole, type ConsoleFile } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { route, type Reply, type Router } from '@sluice/http';
import type { ManagementContext } from './context';

interface FileParts {
  readonly params: { readonly file: string };
}

/** Where the page is, on the management address. */
const consolePath = '/console';
const pageName = 'index.html';

/** Source: RFC 9110, 12.5.3. An encoding with `q=0` is refused. */
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

/** What the page may do stands in its policy; that it may not be opened by a window of another origin, here. */
const pageHeaders = {
  'Content-Security-Policy': consolePolicy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
};

/** Of the page: asked again each time. Of the rest: never again, because another content has another name. */
const cacheOf = (name: string): string => (name === pageName ? 'no-cache' : 'public, max-age=31536000, immutable');

/** `GET /console` and `GET /console/{file}`: the console's page. Open: it holds nothing of anybody, and asks for a key. */
export function consoleRoutes(router: Router, { logger }: Pick<ManagementContext, 'logger'>): void {
  const files = readConsole();
  if (!files.has(pageName)) logger.warn({ remedy: 'npm run build' }, 'console.not-built');
  const answer = (name: string, header: (name: string) => string | undefined): Reply => {
    const file = files.get(name);
    if (file === undefined) throw notThere(name);
    const headers = { ...pageHeaders, 'Cache-Control': cacheOf(name), ETag: file.etag };
    if (header('if-none-match') === file.etag) return { status: 304, headers };
    return acceptsGzip.test(header('accept-encoding') ?? '') ? gzipped(file, headers) : { file, headers };
  };
  router.get(
    consolePath,
    route({
      isInternal: true,
      handle: (request) => {
        // The page names its files relative to its own address, so that address must not end in a slash.
        const isFolder = request.url.split('?')[0]?.endsWith('/');
        if (isFolder) return { status: 308, headers: { Location: '../console' } };
        return answer(pageName, (name) => request.header(name));
      },
    }),
  );
  router.get(
    `${consolePath}/:file`,
    route<FileParts>({
      isInternal: true,
      handle: (request) => answer(request.params.file, (name) => request.header(name)),
    }),
  );
}

function gzipped({ contentType, gzipped: content }: ConsoleFile, headers: Record<string, string>): Reply {
  return { file: { contentType, content }, headers: { ...headers, 'Content-Encoding': 'gzip' } };
}

function notThere(name: string): NotFoundError {
  if (name === pageName) {
    const detail = 'The console was not built with this service.';
    return new NotFoundError({ code: 'request.path-unknown', detail, remedy: 'Build it: npm run build.' });
  }
  const detail = `There is no file ${name.slice(0, 100)} of the console.`;
  return new NotFoundError({
    code: 'request.path-unknown',
    detail,
    remedy: 'Load /console again: a newer one may be there.',
  });
}
