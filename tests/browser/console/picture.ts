import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import type { Locator, Page } from 'playwright-core';

const folder = join(__dirname, '..', '..', '..', 'docs', 'guides', 'images');

/** As much as a reader of the guide needs, in pixels; a picture of it stays under 100 kB. */
const heightMax = 650;

/** Keeps what the page shows for the guide, when `CONSOLE_PICTURES=1` asks for it. @param part of the page. @default its beginning */
export async function picture(
  page: Page,
  name: string,
  colorScheme: 'light' | 'dark' = 'light',
  part?: Locator,
): Promise<void> {
  if (readProcessEnv()['CONSOLE_PICTURES'] !== '1') return;
  await page.emulateMedia({ colorScheme });
  const path = join(folder, `${name}.png`);
  if (part !== undefined) {
    await part.screenshot({ path, animations: 'disabled' });
    return await page.emulateMedia({ colorScheme: null });
  }
  const content = await page.locator('#content').boundingBox();
  const { width = 1_240 } = page.viewportSize() ?? {};
  const height = Math.min(heightMax, Math.ceil((content?.y ?? 0) + (content?.height ?? heightMax)));
  await page.screenshot({ path, animations: 'disabled', clip: { x: 0, y: 0, width, height } });
  await page.emulateMedia({ colorScheme: null });
}
