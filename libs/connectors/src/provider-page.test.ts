import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureHubspot, captureSalesforce } from '../test/captured-calls';
import { loadDeclarations } from './declarative/load-declarations';
import { renderDeclaredPage } from './declarative/page';
import { hubspotPage } from './hubspot/page';
import { renderPage, failureRows, type ProviderPage } from './provider-page';
import { salesforcePage } from './salesforce/page';
import type { FailureRow } from './failure-table';

const providerPages = [hubspotPage, salesforcePage];

/** An empty cell is one space in the file. */
const plain = (text: string) => text.replaceAll(/ +/g, ' ').trim();

const pages: readonly (readonly [name: string, text: string])[] = [
  ...providerPages.map((page) => [page.provider, renderPage(page)] as const),
  ['from-files', renderDeclaredPage(loadDeclarations())],
];

// What is printed is what decides: who reads it can rely on it.
test.each(pages)('docs/providers/%s.md is as the tables and the files are', (name, page) => {
  const printed = readFileSync(join(__dirname, `../../../docs/providers/${name}.md`), 'utf8');
  const hint = 'npx tsc -b && pnpm --filter @sluice/connectors print:pages';
  expect({ hint, text: plain(printed) }).toEqual({ hint, text: plain(page) });
});

test('a row has class, meaning, wait, basis and source', () => {
  const row: FailureRow = {
    signal: 'a | b',
    class: 'quota',
    isLane: true,
    waitMs: 90_000,
    fact: 'assumed: x',
  };
  const page = renderPage({ ...hubspotPage, tables: [{ title: 't', lead: 'l', rows: failureRows([row]) }] });
  expect(page).toContain('| a \\| b | quota | retry, blocks the account | 1.5 min | assumed | x |');
});

// A default that decides nothing would be an error in the middle of a write.
test.each(providerPages.flatMap(({ provider, tables }) => tables.map((each) => [provider, each.title, each] as const)))(
  '%s, %s: every row has a source, and none stands twice',
  (_, __, { rows }) => {
    expect(rows.length).toBeGreaterThan(3);
    expect(new Set(rows.map(([signal]) => signal)).size).toBe(rows.length);
    for (const row of rows) expect(row[5]).not.toBe('');
  },
);

// The list tells of a capability exactly what the connector does.
test.each([
  ['hubspot', captureHubspot(() => ({})).connector],
  ['salesforce', captureSalesforce(() => ({})).connector],
] as const)('%s: what the page says is lacking, the connector lacks, and nothing else', (provider, connector) => {
  const { capabilities } = providerPages.find((page) => page.provider === provider) as ProviderPage;
  const lacking = Object.entries(capabilities).flatMap(([name, { how }]) => (how.startsWith('lacking') ? [name] : []));
  const optional = [
    'create',
    'update',
    'describe',
    'findCreated',
    'authorizationUrl',
    'exchangeCode',
    'refresh',
    'grant',
    'scopes',
  ];
  const absent = [
    ...optional.filter((name) => !(name in connector)),
    ...Object.entries(connector.capabilities).flatMap(([name, value]) => (value === false ? [name] : [])),
    ...(connector.authSchemes.includes('apiKey') ? [] : ['apiKey']),
  ];
  expect(lacking.toSorted((one, other) => one.localeCompare(other))).toEqual(
    absent.toSorted((one, other) => one.localeCompare(other)),
  );
});
