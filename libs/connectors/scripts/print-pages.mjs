// Writes docs/providers from the compiled tables. Run it after a change of a table; provider-page.test.ts compares.
import { mkdir, writeFile } from 'node:fs/promises';
import { loadDeclarations } from '../dist/declarative/load-declarations.js';
import { renderDeclaredPage } from '../dist/declarative/page.js';
import { hubspotPage } from '../dist/hubspot/page.js';
import { renderPage } from '../dist/provider-page.js';
import { salesforcePage } from '../dist/salesforce/page.js';

const folder = new URL('../../../docs/providers/', import.meta.url);
await mkdir(folder, { recursive: true });
const pages = [hubspotPage, salesforcePage].map((page) => [page.provider, renderPage(page)]);
for (const [name, text] of [...pages, ['from-files', renderDeclaredPage(loadDeclarations())]]) {
  // A cell that is empty is one space: what the linter of the pages wants.
  await writeFile(new URL(`${name}.md`, folder), text.replaceAll(/\| {2}(?=\|)/g, '| '));
}
