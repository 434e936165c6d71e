import { ConflictError, NotFoundError } from '@sluice/errors';
import { createHubspot } from '../hubspot/hubspot';
import { createSalesforce } from '../salesforce/salesforce';
import { Accounts } from './accounts';
import type { AccountSettings } from './imitated-provider';

const now = new Date('2026-01-01T00:00:00.000Z');
const newAccounts = (defaults: Partial<AccountSettings> = {}) =>
  new Accounts([createHubspot(), createSalesforce()], defaults);
const provider = 'hubspot';

it('gives the same token and portal id to a name on every run', () => {
  const [first, second] = [
    newAccounts().open({ name: 'acme', provider }, now),
    newAccounts().open({ name: 'acme', provider }, now),
  ];
  expect(first.grant.accessToken).toMatch(/^pat-na1-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(first.grant.accessToken).toBe(second.grant.accessToken);
  expect(first.grant.refreshToken).toBe(second.grant.refreshToken);
  expect(first.imitated.identity).toEqual(second.imitated.identity);
  expect(String(first.imitated.identity.portalId)).toMatch(/^\d{8}$/);
});

it('is idempotent by name and changes only the settings that are given', () => {
  const accounts = newAccounts({ searchLagMs: 500 });
  const first = accounts.open({ name: 'acme', provider, lockContention: 0.5, limits: { perTenSeconds: 5 } }, now);
  const again = accounts.open({ name: 'acme', provider, limits: { perDay: 9 } }, now);
  expect(again).toBe(first);
  expect(again.settings).toMatchObject({
    lockContention: 0.5,
    searchLagMs: 500,
    limits: { perTenSeconds: 5, perDay: 9, searchesPerSecond: 5 },
  });
});

it('selects by every token an account was opened with', () => {
  const accounts = newAccounts();
  const account = accounts.open({ name: 'acme', provider }, now);
  const token = account.grant.accessToken;
  accounts.open({ name: 'acme', provider, token: 'second' }, now);
  expect(accounts.findByToken(token)).toBe(account);
  expect(accounts.findByToken('second')).toBe(account);
  expect(accounts.findByToken('third')).toBeUndefined();
});

it('refuses a token of another account, and an unknown name', () => {
  const accounts = newAccounts();
  accounts.open({ name: 'acme', provider, token: 'mine' }, now);
  expect(() => accounts.open({ name: 'globex', provider, token: 'mine' }, now)).toThrow(ConflictError);
  expect(() => accounts.open({ name: 'acme', provider: 'salesforce' }, now)).toThrow('one of hubspot');
  expect(accounts.all()).toHaveLength(1);
  expect(() => accounts.get('globex')).toThrow(NotFoundError);
});
