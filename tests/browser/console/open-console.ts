import type { Browser, BrowserContext, Page } from 'playwright-core';

/** A tab with the console, and what it did that a reader does not see. */
export interface ConsoleTab {
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

export interface TabOptions {
  readonly colorScheme?: 'light' | 'dark';
  readonly viewport?: { readonly width: number; readonly height: number };
}

/** @param managementUrl address of the management service, without `/v1` */
export async function openConsole(
  browser: Browser,
  managementUrl: string,
  { colorScheme = 'light', viewport = { width: 1240, height: 820 } }: TabOptions = {},
): Promise<ConsoleTab> {
  const context = await browser.newContext({ colorScheme, viewport });
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
