import { consoleFolder, consolePolicy } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { guideFolder, guidePolicy } from '@sluice/guide';
import { pageReply, readPageFiles, routesUnder, type RouteRequest, type Router } from '@sluice/http';
import { referenceFolder, referencePolicy } from '@sluice/reference';
import type { ManagementContext } from './context';

/** Pages that were built with the packages. Open, because they hold no data of a project. */
interface Pages {
  /** Address of the first page. It must not end in a slash: pages name their files relative to their own addresses. */
  readonly path: '/console' | '/docs/guide' | '/docs/reference';
  readonly folder: string;
  readonly policy: string;
  /** What the log and replies call it. */
  readonly noun: 'console' | 'guide' | 'reference';
  readonly operationIds: readonly [page: string, file: string];
}

/** Its form that tries a write calls the gateway itself, as the reference does. */
const consolePages = ({ config: { publicWriteUrl } }: ManagementContext): Pages => ({
  path: '/console',
  folder: consoleFolder,
  policy: consolePolicy(publicWriteUrl === undefined ? [] : [new URL(publicWriteUrl).origin]),
  noun: 'console',
  operationIds: ['showConsole', 'loadConsoleFile'],
});
const guidePages: Pages = {
  path: '/docs/guide',
  folder: guideFolder,
  policy: guidePolicy,
  noun: 'guide',
  operationIds: ['showGuide', 'loadGuideFile'],
};

/** `/docs/reference`, and where the page finds the other two APIs. */
function referenceRoutes(router: Router, context: ManagementContext): void {
  const { publicSearchUrl: search, publicWriteUrl: write } = context.config;
  const urls = [search, write].filter((url) => url !== undefined);
  // Before the page's files: any other name is looked for among those.
  routesUnder(router, '/docs/reference', { isInternal: true, find: () => undefined }).get(
    '/servers.json',
    'showServers',
    { answer: () => ({ ...(search && { search: `${search}/v1` }), ...(write && { write: `${write}/v1` }) }) },
  );
  const pages: Pages = {
    path: '/docs/reference',
    folder: referenceFolder,
    policy: referencePolicy(urls.map((url) => new URL(url).origin)),
    noun: 'reference',
    operationIds: ['showReference', 'loadReferenceFile'],
  };
  serve(router, pages, context);
}

/** `GET /console`, `GET /docs/guide` and `GET /docs/reference`, and the files of each. The guide has no use for a key; the others ask for one. */
export function pageRoutes(router: Router, context: ManagementContext): void {
  for (const pages of [consolePages(context), guidePages]) serve(router, pages, context);
  referenceRoutes(router, context);
  const reference = { query: {}, handle: redirectToReference };
  routesUnder(router, '/docs', { isInternal: true, find: () => undefined }).get('', 'showDocs', reference);
}

const isFolder = ({ url }: RouteRequest<object>) => url.split('?')[0]?.endsWith('/') === true;

/** Relative, because a proxy may put a path before ours. */
const redirectToReference = (request: RouteRequest<object>) => {
  return { status: 302, headers: { Location: isFolder(request) ? 'reference' : 'docs/reference' } };
};

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
      if (isFolder(request)) return { status: 308, headers: { Location: `..${path.slice(path.lastIndexOf('/'))}` } };
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
