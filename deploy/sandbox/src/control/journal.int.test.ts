import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Portal } from '../hubspot/hubspot';
import { Sandbox } from '../sandbox';
import type { Account } from './account';

const folder = mkdtempSync(join(tmpdir(), 'sluice-sandbox-'));
const ledgerFile = join(folder, 'ledger.jsonl');
afterAll(() => rmSync(folder, { recursive: true }));

const now = () => new Date('2026-01-01T00:00:00.000Z');
const open = () => new Sandbox({ now, ledgerFile });
const outcome = {
  provider: 'hubspot',
  at: now().toISOString(),
  method: 'POST',
  path: '/x',
  action: 'create',
  status: 201,
  records: 1,
  tookMs: 0,
};

function dataOf({ imitated }: Account) {
  if (!(imitated instanceof Portal)) throw new TypeError('not an account of HubSpot');
  return imitated.data;
}

/** What survives a `kill -9` is what was written: nothing here closes a sandbox before the next one reads the file. */
it('brings accounts, contacts and ledger back, and cuts off a torn last line', async () => {
  const first = open();
  const account = first.openAccount({ name: 'acme', provider: 'hubspot', searchLagMs: 5 });
  const token = account.grant.accessToken;
  const ana = dataOf(account).create('contacts', { email: 'ana@example.com' }, now());
  first.record(account, outcome);
  dataOf(account).update(ana, { city: 'Łódź' }, now());
  first.record(account, { ...outcome, status: 0, fault: 'commit-then-reset' });
  appendFileSync(ledgerFile, '{"call":{"seq":3,"at":"20');

  const second = open();
  const restored = second.accounts.get('acme');
  expect(second.accounts.findByToken(token)).toBe(restored);
  expect(restored.settings.searchLagMs).toBe(5);
  expect(dataOf(restored).all('contacts')).toEqual([{ ...ana, fields: { email: 'ana@example.com', city: 'Łódź' } }]);
  expect(second.ledger.list()).toEqual(first.ledger.list());
  expect(second.ledger.list()[1]).toMatchObject({
    seq: 2,
    status: 0,
    applied: 1,
    recordIds: [ana.id],
    fault: 'commit-then-reset',
  });
  expect(readFileSync(ledgerFile, 'utf8').endsWith('\n')).toBe(true);

  expect(dataOf(restored).conflicts('contacts', { email: 'ANA@example.com' })[0]?.existing.id).toBe(ana.id);
  second.record(restored, outcome);
  const third = open();
  expect(third.ledger.list().map((entry) => entry.seq)).toEqual([1, 2, 3]);

  third.clear('acme');
  const fourth = open();
  expect(fourth.ledger.list()).toEqual([]);
  expect(dataOf(fourth.accounts.get('acme')).all('contacts')).toEqual([]);
  for (const sandbox of [first, second, third, fourth]) await sandbox.close();
});
