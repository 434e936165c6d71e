import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { PageSettings } from './page-settings';

/** A customer's browser with the builder's page in it. */
export interface OpenedPage {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Every call to the API so far, once each and sorted: `GET /v1/projects/{id} 200`. */
  calls(): string[];
  /** What the page logged as an error, but for replies that are no success. */
  errors(): string[];
  /** The same browser at another view. */
  go(view: PageSettings['view']): Promise<void>;
  close(): Promise<void>;
}

const projectName = /\/projects\/[^/?]+/;
const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** @param apiUrl without `/v1`: calls elsewhere are not the API's */
export async function openPage(
  browser: Browser,
  { pageUrl, apiUrl, settings }: { pageUrl: string; apiUrl: string; settings: PageSettings },
): Promise<OpenedPage> {
  const context = await browser.newContext();
  // Nothing leaves this machine, whatever the library wants from elsewhere.
  const isElsewhere = ({ hostname }: URL) => hostname !== '127.0.0.1' && hostname !== 'localhost';
  await context.route(isElsewhere, (route) => route.abort());
  const calls = new Set<string>();
  const errors: string[] = [];
  context.on('response', (reply) => {
    const url = reply.url();
    if (!url.startsWith(apiUrl)) return;
    const path = url.slice(apiUrl.length).replace(/\?.*/, queryNames);
    const named = path.replace(projectName, '/projects/{project}').replaceAll(uuid, '{id}');
    calls.add(`${reply.request().method()} ${named} ${reply.status()}`);
  });
  // A call that CORS forbids has no reply at all.
  context.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    if (request.url().startsWith(apiUrl) && reason !== 'net::ERR_ABORTED')
      calls.add(`${request.method()} ${request.url().slice(apiUrl.length)} ${reason}`);
  });
  // Seconds on a quiet machine; a bound for one where much else runs.
  context.setDefaultTimeout(90_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => errors.push(error.message));
  const go = async (view: PageSettings['view']) => {
    // What stands behind the sign alone would not load the page again.
    await page.goto('about:blank');
    await page.goto(`${pageUrl}/#${encodeURIComponent(JSON.stringify({ ...settings, view }))}`);
  };
  await go(settings.view);
  return {
    page,
    context,
    go,
    calls: () => [...calls].toSorted(),
    errors: () => [...errors],
    close: () => context.close(),
  };
}

/** Values differ from run to run, names do not. */
function queryNames(query: string): string {
  return `?${[...new URLSearchParams(query).keys()].toSorted().join('&')}`;
}
