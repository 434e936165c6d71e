import { consolePage, consoleReply, readConsole } from '@sluice/console';
import { NotFoundError } from '@sluice/errors';
import { routesUnder, type Router } from '@sluice/http';
import type { ManagementContext } from './context';

/** `GET /console` and `GET /console/{file}`: the console's page. Open: it holds nothing of anybody, and asks for a key. */
export function consoleRoutes(router: Router, { logger }: ManagementContext): void {
  const files = readConsole();
  if (!files.has(consolePage)) logger.warn({ remedy: 'npm run build' }, 'console.not-built');
  const fileCalled = (name: string) => {
    const file = files.get(name);
    if (file === undefined) throw notThere(name);
    return file;
  };
  // Any query: a link to the page may carry one.
  const query = {};
  const routes = routesUnder(router, '/console', { isInternal: true, find: () => undefined });
  routes.get('', 'showConsole', {
    query,
    handle: (request) => {
      // The page names its files relative to its own address, so that address must not end in a slash.
      const isFolder = request.url.split('?')[0]?.endsWith('/');
      if (isFolder) return { status: 308, headers: { Location: '../console' } };
      return consoleReply(fileCalled(consolePage), (name) => request.header(name));
    },
  });
  routes.get('/:file', 'loadConsoleFile', {
    query,
    handle: (request) => consoleReply(fileCalled(request.params.file), (name) => request.header(name)),
  });
}

function notThere(name: string): NotFoundError {
  const [detail, remedy] =
    name === consolePage
      ? ['The console was not built with this service.', 'Build it: npm run build.']
      : [`There is no file ${name.slice(0, 100)} of the console.`, 'Load /console again: a newer one may be there.'];
  return new NotFoundError({ code: 'request.path-unknown', detail, remedy });
}
