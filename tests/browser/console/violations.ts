import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page as it is shown, a line each: the rule, what is wrong, and where. Source: WCAG 2.2, A and AA, and axe's best practices. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate<string[]>(`axe.run(document, { preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html }) => [id, help, target.join(' '), html.slice(0, 200)].join(' | '))))`);
}

/** What stands beyond the right edge when the page is wider than its window, outermost first. */
async function tooWide(page: Page): Promise<readonly string[]> {
  return await page.evaluate<string[]>(`document.documentElement.scrollWidth <= innerWidth ? [] :
    [...document.querySelectorAll('body *')].filter((element) => element.getBoundingClientRect().right > innerWidth)
      .map((element) => element.cloneNode().outerHTML.slice(0, 200))`);
}

const viewports = [
  { width: 1_240, height: 820 },
  { width: 390, height: 844 },
] as const;

/** axe finds nothing and nothing is wider than the window, on a desktop and a phone, in both colours. @param name what the page shows, for the reader of a failure */
export async function fitsEverybody(page: Page, name: string): Promise<void> {
  for (const viewport of viewports) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const found = { violations: await violationsOf(page), tooWide: await tooWide(page) };
      const shown = { name, width: viewport.width, colorScheme };
      expect({ ...shown, ...found }).toEqual({ ...shown, violations: [], tooWide: [] });
    }
  }
  await page.setViewportSize(viewports[0]);
  await page.emulateMedia({ colorScheme: null });
}
