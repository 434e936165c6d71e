import { connectFolder, consoleFolder, consolePolicy } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { guideFolder, guidePolicy, guideUnder } from '@sluice/guide';
import { pageReply, readPageFiles, routesUnder, type Reply, type RouteRequest, type Router } from '@sluice/http';
import { referenceFolder, referencePolicy } from '@sluice/reference';
import { publicAddress } from './config';
import type { ManagementContext } from './context';

/** Pages that were built with the packages. Open, because they hold no data of a project. */
interface Pages {
  /** Address of the first page. It must not end in a slash: pages name their files relative to their own addresses. */
  readonly path: '/connect' | '/console' | '/docs/guide' | '/docs/reference';
  readonly files: ReturnType<typeof readPageFiles>;
  /** Of the first page's text, where that has scripts of its own. */
  readonly policy: string | ((firstPage: string) => string);
  /** Whether a window of another origin may open the page and be spoken to by it. @default no */
  readonly isOpened?: boolean;
  /** What the log and replies call it. */
  readonly noun: 'connect-page' | 'console' | 'guide' | 'reference';
  readonly operationIds: readonly [page: string, file: string];
}

/**
 * `GET /console`, `GET /connect`, `GET /docs/guide` and `GET /docs/reference`, and the files of each. The guide has no use for a key.
 * `/` leads to the guide's first page, which names the console and the reference too.
 */
export function pageRoutes(router: Router, context: ManagementContext): void {
  const { publicSearchUrl: search, publicWriteUrl: write } = context.config;
  const originsOf = (...urls: (string | undefined)[]) => urls.flatMap((url) => (url ? [new URL(url).origin] : []));
  serve(router, context, {
    path: '/console',
    files: readPageFiles(consoleFolder),
    // Its form that tries a write calls the gateway itself, as the reference does.
    policy: consolePolicy(originsOf(write)),
    noun: 'console',
    operationIds: ['showConsole', 'loadConsoleFile'],
  });
  serve(router, context, {
    path: '/connect',
    files: readPageFiles(connectFolder),
    policy: consolePolicy([]),
    // The builder's page opens it, and hears from it when all is done.
    isOpened: true,
    noun: 'connect-page',
    operationIds: ['showConnectPage', 'loadConnectFile'],
  });
  const replyWith = serve(router, context, {
    path: '/docs/guide',
    files: readPageFiles(guideFolder, guideUnder(new URL(publicAddress(context.config)).pathname)),
    policy: guidePolicy,
    noun: 'guide',
    operationIds: ['showGuide', 'loadGuideFile'],
  });
  const assets = routesUnder(router, '/docs/guide/assets', internal);
  assets.get('/:file', 'loadGuideAsset', {
    query: {},
    handle: (request) => replyWith(`assets/${request.params.file}`, request),
  });
  assets.get('/chunks/:file', 'loadGuideChunk', {
    query: {},
    handle: (request) => replyWith(`assets/chunks/${request.params.file}`, request),
  });
  // Where the reference finds the other two APIs. Before the page's files: any other name is looked for among those.
  routesUnder(router, '/docs/reference', internal).get('/servers.json', 'showServers', {
    answer: () => ({ ...(search && { search: `${search}/v1` }), ...(write && { write: `${write}/v1` }) }),
  });
  serve(router, context, {
    path: '/docs/reference',
    files: readPageFiles(referenceFolder),
    policy: referencePolicy(originsOf(search, write)),
    noun: 'reference',
    operationIds: ['showReference', 'loadReferenceFile'],
  });
  routesUnder(router, '/docs', internal).get('', 'showDocs', { query: {}, handle: redirectToReference });
  routesUnder(router, '/', internal).get('', 'showStart', {
    query: {},
    handle: () => ({ status: 302, headers: { Location: 'docs/guide' } }),
  });
}

const internal = { isInternal: true, find: () => undefined };

const isFolder = ({ url }: RouteRequest<object>) => url.split('?')[0]?.endsWith('/') === true;

/** Relative, because a proxy may put a path before ours. */
const redirectToReference = (request: RouteRequest<object>) => {
  return { status: 302, headers: { Location: isFolder(request) ? 'reference' : 'docs/reference' } };
};

/** @returns what replies with a file of the pages, by its name, to a route of one that is in a folder */
function serve(
  router: Router,
  { logger }: ManagementContext,
  { path, files, policy, isOpened, noun, operationIds }: Pages,
): (name: string, request: RouteRequest<object>) => Reply {
  if (!files.has('index.html')) logger.warn({ remedy: 'npm run build' }, `${noun}.not-built`);
  const findPolicy = () => (typeof policy === 'string' ? policy : policy(String(files.find('index.html')?.content)));
  let known: string | undefined;
  // A page of the guide is called without its ending.
  const replyWith = (name: string, request: RouteRequest<object>): Reply => {
    const file = files.find(name) ?? files.find(`${name}.html`);
    if (file === undefined) throw notThere(noun, path, name);
    known ??= findPolicy();
    return pageReply(file, { policy: known, isOpened }, (header) => request.header(header));
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
  return replyWith;
}

function notThere(noun: string, path: string, name: string): NotFoundError {
  const [detail, remedy] =
    name === 'index.html'
      ? [`The ${noun} was not built with this service.`, 'Build it: npm run build.']
      : [`There is no file ${name.slice(0, 100)} of the ${noun}.`, `Load ${path} again: a newer one may be there.`];
  return new NotFoundError({ code: 'request.path-unknown', detail, remedy });
}
