import { connectFolder, consoleFolder, consolePolicy } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { guideFolder, guidePolicy } from '@sluice/guide';
import { pageReply, readPageFiles, routesUnder, type RouteRequest, type Router } from '@sluice/http';
import { referenceFolder, referencePolicy } from '@sluice/reference';
import type { ManagementContext } from './context';

/** Pages that were built with the packages. Open, because they hold no data of a project. */
interface Pages {
  /** Address of the first page. It must not end in a slash: pages name their files relative to their own addresses. */
  readonly path: '/connect' | '/console' | '/docs/guide' | '/docs/reference';
  readonly folder: string;
  readonly policy: string;
  /** Whether a window of another origin may open the page and be spoken to by it. @default no */
  readonly isOpened?: boolean;
  /** What the log and replies call it. */
  readonly noun: 'connect-page' | 'console' | 'guide' | 'reference';
  readonly operationIds: readonly [page: string, file: string];
}

/** `GET /console`, `GET /connect`, `GET /docs/guide` and `GET /docs/reference`, and the files of each. The guide has no use for a key. */
export function pageRoutes(router: Router, context: ManagementContext): void {
  const { publicSearchUrl: search, publicWriteUrl: write } = context.config;
  const originsOf = (...urls: (string | undefined)[]) => urls.flatMap((url) => (url ? [new URL(url).origin] : []));
  serve(router, context, {
    path: '/console',
    folder: consoleFolder,
    // Its form that tries a write calls the gateway itself, as the reference does.
    policy: consolePolicy(originsOf(write)),
    noun: 'console',
    operationIds: ['showConsole', 'loadConsoleFile'],
  });
  serve(router, context, {
    path: '/connect',
    folder: connectFolder,
    policy: consolePolicy([]),
    // The builder's page opens it, and hears from it when all is done.
    isOpened: true,
    noun: 'connect-page',
    operationIds: ['showConnectPage', 'loadConnectFile'],
  });
  serve(router, context, {
    path: '/docs/guide',
    folder: guideFolder,
    policy: guidePolicy,
    noun: 'guide',
    operationIds: ['showGuide', 'loadGuideFile'],
  });
  // Where the reference finds the other two APIs. Before the page's files: any other name is looked for among those.
  routesUnder(router, '/docs/reference', internal).get('/servers.json', 'showServers', {
    answer: () => ({ ...(search && { search: `${search}/v1` }), ...(write && { write: `${write}/v1` }) }),
  });
  serve(router, context, {
    path: '/docs/reference',
    folder: referenceFolder,
    policy: referencePolicy(originsOf(search, write)),
    noun: 'reference',
    operationIds: ['showReference', 'loadReferenceFile'],
  });
  routesUnder(router, '/docs', internal).get('', 'showDocs', { query: {}, handle: redirectToReference });
}

const internal = { isInternal: true, find: () => undefined };

const isFolder = ({ url }: RouteRequest<object>) => url.split('?')[0]?.endsWith('/') === true;

/** Relative, because a proxy may put a path before ours. */
const redirectToReference = (request: RouteRequest<object>) => {
  return { status: 302, headers: { Location: isFolder(request) ? 'reference' : 'docs/reference' } };
};

function serve(
  router: Router,
  { logger }: ManagementContext,
  { path, folder, noun, operationIds, ...look }: Pages,
): void {
  const files = readPageFiles(folder);
  if (!files.has('index.html')) logger.warn({ remedy: 'npm run build' }, `${noun}.not-built`);
  // A page of the guide is called without its ending.
  const replyWith = (name: string, request: RouteRequest<object>) => {
    const file = files.find(name) ?? files.find(`${name}.html`);
    if (file === undefined) throw notThere(noun, path, name);
    return pageReply(file, look, (header) => request.header(header));
  };
  // Any query: a link to the page may carry one.
  const query = {};
  const routes = routesUnder(router, path, internal);
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
