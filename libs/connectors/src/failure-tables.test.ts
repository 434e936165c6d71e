import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captureHubspot, captureSalesforce } from '../test/captured-calls';
import { failureTables } from './failure-tables';

const pages = [
  ['hubspot', captureHubspot(() => ({})).connector],
  ['salesforce', captureSalesforce(() => ({})).connector],
] as const;

// A default that decides nothing would be an error in the middle of a write.
test.each(pages)('%s: every row has a source, and none stands twice', (provider) => {
  for (const rows of failureTables[provider]) {
    expect(rows.length).toBeGreaterThan(3);
    expect(new Set(rows.map((row) => JSON.stringify({ ...row, fact: undefined }))).size).toBe(rows.length);
    for (const { fact } of rows) expect(fact).toMatch(/^(documented|recorded|assumed): ./);
  }
});

const methods = ['create', 'update', 'describe', 'findCreated', 'authorizationUrl', 'exchangeCode', 'refresh'] as const;

test.each(pages)('%s: what its page says is lacking, the connector lacks, and nothing else', (provider, connector) => {
  const page = readFileSync(join(__dirname, `../../../docs/providers/${provider}.md`), 'utf8');
  const facts = [...page.matchAll(/^\| `(\w+)` \| (.*) \| (?:documented|recorded|assumed) \| .+ \|$/gm)];
  const lacking = facts.flatMap(([, name = '', how = '']) => (how.startsWith('lacking') ? [name] : []));
  const absent = [
    ...[...methods, 'grant' as const].filter((name) => !(name in connector)),
    ...Object.entries(connector.capabilities).flatMap(([name, value]) => (value === false ? [name] : [])),
    ...(connector.authSchemes.includes('apiKey') ? [] : ['apiKey']),
  ];
  expect(new Set(lacking)).toEqual(new Set(absent));
  const named = [...methods, ...Object.keys(connector.capabilities)].filter((name) => name !== 'fields');
  expect(facts.map(([, name]) => name)).toEqual(expect.arrayContaining(named));
});
