import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page as it is shown, a line each: the rule, what is wrong, and where. Source: WCAG 2.2, A and AA, and axe's best practices. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate<string[]>(`axe.run(document, { preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html }) => [id, help, target.join(' '), html.slice(0, 200)].join(' | '))))`);
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
      const fits = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      const found = [await violationsOf(page), fits];
      expect([name, viewport.width, colorScheme, ...found]).toEqual([name, viewport.width, colorScheme, [], true]);
    }
  }
  await page.setViewportSize(viewports[0]);
  await page.emulateMedia({ colorScheme: null });
}
