import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDeclarations } from './load-declarations';
import { renderDeclaredPage } from './page';

/** Without what Prettier aligns. */
const plain = (text: string) => text.replaceAll(/ +/g, ' ').replaceAll(/-{3,}/g, '---').trim();

// What is printed is what decides, and each fact says where it is from.
it('docs/providers/from-files.md is as the files and the table are', () => {
  const printed = readFileSync(join(__dirname, '../../../../docs/providers/from-files.md'), 'utf8');
  const hint = 'npx tsc -b && pnpm --filter @sluice/connectors print:pages';
  const page = renderDeclaredPage(loadDeclarations());
  expect({ hint, text: plain(printed) }).toEqual({ hint, text: plain(page) });
});
