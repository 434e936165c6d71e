import { issuesOf, loadDeclarations, readConnectOnly } from './load-declarations';

const rows = readConnectOnly();

it.each(rows.map((row) => [row.name, row] as const))('%s keeps the rules of a file', (_name, row) => {
  expect(issuesOf(row)).toEqual([]);
});

it('each stands once, in the order of the names, and is no file too', () => {
  const names = rows.map(({ name }) => name);
  expect(names).toEqual(names.toSorted((one, other) => (one.toLowerCase() < other.toLowerCase() ? -1 : 1)));
  const others = ['hubspot', 'salesforce', ...loadDeclarations().map(({ name }) => name)];
  expect(names.filter((name) => others.includes(name))).toEqual([]);
});

it('each part has a source with its day', () => {
  for (const { name, facts } of rows) {
    for (const fact of Object.values(facts))
      expect([name, fact]).toEqual([name, expect.stringMatching(/\(\d{4}-\d\d-\d\d\)$/)]);
  }
});

it('none declares what goes with records', () => {
  for (const row of rows) {
    expect(
      Object.keys(row).filter((part) => ['objects', 'create', 'update', 'search', 'fields'].includes(part)),
    ).toEqual([]);
  }
});
