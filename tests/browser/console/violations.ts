import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** What axe finds on the page as it is shown, a line each: the rule, what is wrong, and where. Source: WCAG 2.2, A and AA, and axe's best practices. */
export async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate<string[]>(`axe.run(document, { preload: false }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, html }) => [id, help, target.join(' '), html.slice(0, 200)].join(' | '))))`);
}
