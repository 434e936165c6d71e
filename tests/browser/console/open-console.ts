import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { Addresses } from '../../harness/addresses';
import { findChromium, openChromium } from '../../harness/chromium';
import { createProject, type Project } from '../../harness/project';

/** A tab with the console, and what it did that a reader does not see. */
interface ConsoleTab {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Addresses of every request that left the tab. */
  readonly requests: readonly string[];
  /** What the browser complained of: errors of scripts, and what the page's policy held back. */
  readonly complaints: readonly string[];
  signIn(key: string): Promise<void>;
  /** Goes to a page of the console by its address after `#/`. */
  goTo(path: string): Promise<void>;
}

interface TabOptions {
  readonly colorScheme?: 'light' | 'dark';
}

/** @param managementUrl address of the management service, without `/v1` */
async function openConsole(
  browser: Browser,
  managementUrl: string,
  { colorScheme = 'light' }: TabOptions,
): Promise<ConsoleTab> {
  const context = await browser.newContext({ colorScheme, viewport: { width: 1240, height: 820 } });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // The page itself shows an error that the API answers with.
    const isOfReply = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isOfReply) complaints.push(message.text());
  });
  await page.goto(`${managementUrl}/console`);
  return {
    page,
    context,
    requests,
    complaints,
    signIn: async (key) => {
      await page.getByLabel('API key').fill(key);
      await page.getByRole('button', { name: 'Sign in' }).click();
    },
    goTo: async (path) => {
      await page.goto(`${managementUrl}/console#/${path}`);
    },
  };
}

interface SuiteOptions<S> {
  /** What is not tested where there is no browser, for the reader. */
  readonly of: string;
  readonly start: () => S | Promise<S>;
  /** What the page may ask besides its own origin. */
  readonly mayAsk?: (stack: S) => readonly string[];
}

/**
 * The console in a real browser, for a suite. Each test has a project and opens tabs of its own; at its end nothing was wrong in
 * them, they asked no other host, and no address holds a key, a secret or what was typed.
 */
export function useConsole<S extends Addresses & { stop?(): Promise<void> }>(options: SuiteOptions<S>) {
  const { of, start, mayAsk = () => [] } = options;
  const program = findChromium(of);
  // Filled when the suite, a test and a tab begin.
  const [stack, project, tab] = [{} as S, {} as Project, {} as ConsoleTab];
  /** Every key that a test had. */
  const keys: string[] = [];
  const opened: ConsoleTab[] = [];
  let browser: Browser | undefined;
  // Where all tests are skipped none of this runs.
  beforeAll(async () => {
    browser = await openChromium(program ?? '');
    Object.assign(stack, await start());
  });
  beforeEach(async () => {
    Object.assign(project, await createProject(stack));
    keys.push(project.key);
  });
  afterEach(async () => {
    for (const { context, complaints, requests } of opened.splice(0)) {
      await context.close();
      const origins = [stack.baseUrl, ...mayAsk(stack)].map((url) => new URL(url).origin);
      expect(complaints).toEqual([]);
      expect(requests.filter((url) => !origins.includes(new URL(url).origin))).toEqual([]);
      expect(requests.filter((url) => [...keys, 'whsec_', 'typed'].some((text) => url.includes(text)))).toEqual([]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await stack.stop?.();
  });
  const open = async (tabOptions: TabOptions = {}): Promise<Page> => {
    if (browser === undefined) throw new Error('there is no browser');
    const one = await openConsole(browser, new URL(stack.baseUrl).origin, tabOptions);
    opened.push(one);
    Object.assign(tab, one);
    return tab.page;
  };
  return {
    /** `it`, skipped where there is no browser. */
    withBrowser: program === undefined ? it.skip : it,
    stack,
    project,
    /** The one that was opened last. */
    tab,
    keys,
    open,
    /** Opens a tab, signs in and goes to a page. @param key @default that of the project */
    openAt: async (path: string, key = project.key): Promise<Page> => {
      keys.push(key);
      const page = await open();
      await tab.signIn(key);
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
      await tab.goTo(path);
      return page;
    },
  };
}
