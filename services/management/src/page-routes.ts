import { consoleFolder, consolePolicy } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { guideFolder, guidePolicy } from '@sluice/guide';
import { pageReply, readPageFiles, routesUnder, type RouteRequest, type Router } from '@sluice/http';
import type { ManagementContext } from './context';

/** Pages that were made when the packages were compiled. Open: they hold nothing of anybody. */
interface Pages {
  /** Address of the first page. It must not end in a slash: pages name their files relative to their own addresses. */
  readonly path: '/console' | '/docs/guide';
  readonly folder: string;
  readonly policy: string;
  /** What the log and replies call it. */
  readonly noun: 'console' | 'guide';
  readonly operationIds: readonly [page: string, file: string];
}

const consolePages: Pages = {
  path: '/console',
  folder: consoleFolder,
  policy: consolePolicy,
  noun: 'console',
  operationIds: ['showConsole', 'loadConsoleFile'],
};
const guidePages: Pages = {
  path: '/docs/guide',
  folder: guideFolder,
  policy: guidePolicy,
  noun: 'guide',
  operationIds: ['showGuide', 'loadGuideFile'],
};

/** `GET /console` and `GET /docs/guide`, and the files of both. The console asks for a key; the guide has no use for one. */
export function pageRoutes(router: Router, context: ManagementContext): void {
  for (const pages of [consolePages, guidePages]) serve(router, pages, context);
}

function serve(
  router: Router,
  { path, folder, policy, noun, operationIds }: Pages,
  { logger }: ManagementContext,
): void {
  const files = readPageFiles(folder);
  if (!files.has('index.html')) logger.warn({ remedy: 'npm run build' }, `${noun}.not-built`);
  // A page of the guide is called without its ending.
  const replyWith = (name: string, request: RouteRequest<object>) => {
    const file = files.find(name) ?? files.find(`${name}.html`);
    if (file === undefined) throw notThere(noun, path, name);
    return pageReply(file, policy, (header) => request.header(header));
  };
  // Any query: a link to the page may carry one.
  const query = {};
  const routes = routesUnder(router, path, { isInternal: true, find: () => undefined });
  const [page, file] = operationIds;
  routes.get('', page, {
    query,
    handle: (request) => {
      const isFolder = request.url.split('?')[0]?.endsWith('/');
      if (isFolder) return { status: 308, headers: { Location: `..${path.slice(path.lastIndexOf('/'))}` } };
      return replyWith('index.html', request);
    },
  });
  routes.get('/:file', file, { query, handle: (request) => replyWith(request.params.file, request) });
}

function notThere(noun: string, path: string, name: string): NotFoundError {
  const [detail, remedy] =
    name === 'index.html'
      ? [`The ${noun} was not built with this service.`, 'Build it: npm run build.']
      : [`There is no file ${name.slice(0, 100)} of the ${noun}.`, `Load ${path} again: a newer one may be there.`];
  return new NotFoundError({ code: 'request.path-unknown', detail, remedy });
}
