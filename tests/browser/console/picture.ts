import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProcessEnv } from '@sluice/config';
import type { Locator, Page } from 'playwright-core';
import { palettePng } from './palette-png';

const folder = join(__dirname, '..', '..', '..', 'docs', 'guides', 'images');
const isAsked = readProcessEnv()['CONSOLE_PICTURES'] === '1';

/** Pages of which the guide has a picture in both widths and both colours. */
export const picturedPages = [
  'sign-in',
  'overview',
  'operations',
  'operation',
  'customers',
  'customer',
  'lanes',
  'developers',
] as const;

const widths = [
  ['', { width: 1_240, height: 820 }],
  ['-phone', { width: 390, height: 844 }],
] as const;
const colours = [
  ['', 'light'],
  ['-dark', 'dark'],
] as const;

/** Names of the four pictures of a page. */
export const namesOf = (page: string): readonly string[] =>
  widths.flatMap(([width]) => colours.map(([colour]) => `console-${page}${width}${colour}.png`));

/** As much as a reader of the guide needs, in pixels. */
const heightMax = 650;

/** Keeps what the page shows for the guide, when `CONSOLE_PICTURES=1` asks for it. @param part of the page. @default its beginning */
export async function picture(page: Page, name: string, part?: Locator): Promise<void> {
  if (!isAsked) return;
  const keep = (shot: Buffer): void => writeFileSync(join(folder, `${name}.png`), palettePng(shot));
  if (part !== undefined) return keep(await part.screenshot({ animations: 'disabled' }));
  const content = await page.locator('#content, main').first().boundingBox();
  const { width, height: ofWindow } = page.viewportSize() ?? widths[0][1];
  const end = Math.ceil((content?.y ?? 0) + (content?.height ?? ofWindow));
  const height = Math.min(width < 600 ? ofWindow : heightMax, end);
  keep(await page.screenshot({ animations: 'disabled', clip: { x: 0, y: 0, width, height } }));
}

/** The same in both widths and both colours. */
export async function pictures(page: Page, name: (typeof picturedPages)[number]): Promise<void> {
  if (!isAsked) return;
  for (const [width, viewport] of widths) {
    await page.setViewportSize(viewport);
    for (const [colour, colorScheme] of colours) {
      await page.emulateMedia({ colorScheme });
      // What draws itself has the new size and colours.
      await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      await picture(page, `console-${name}${width}${colour}`);
    }
  }
  await page.setViewportSize(widths[0][1]);
  await page.emulateMedia({ colorScheme: null });
}
