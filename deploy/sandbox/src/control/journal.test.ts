import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from './journal';

const folder = mkdtempSync(join(tmpdir(), 'journal-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['a new file', () => {}],
  ['one that others could read', (path: string) => writeFileSync(path, '', { mode: 0o644 })],
])('%s is for its owner alone: it holds the tokens of the accounts', async (name, before) => {
  const path = join(folder, name);
  before(path);
  const journal = new Journal(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await journal.close();
});
