import { ConflictError, NotFoundError } from '@sluice/errors';
import { Accounts } from './accounts';

it('gives the same token and portal id to a name on every run', () => {
  const [first, second] = [new Accounts().open({ name: 'acme' }), new Accounts().open({ name: 'acme' })];
  expect(first.token).toMatch(/^pat-na1-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  expect(first.token).toBe(second.token);
  expect(first.account.portalId).toBe(second.account.portalId);
  expect(String(first.account.portalId)).toMatch(/^\d{8}$/);
});

it('is idempotent by name and changes only the settings that are given', () => {
  const accounts = new Accounts({ searchLagMs: 500 });
  const first = accounts.open({ name: 'acme', latencyMs: 20, limits: { perTenSeconds: 5 } });
  const again = accounts.open({ name: 'acme', limits: { perDay: 9 } });
  expect(again).toEqual(first);
  expect(again.account.settings).toMatchObject({
    latencyMs: 20,
    searchLagMs: 500,
    limits: { perTenSeconds: 5, perDay: 9, searchesPerSecond: 5 },
  });
});

it('selects by every token an account was opened with', () => {
  const accounts = new Accounts();
  const { account, token } = accounts.open({ name: 'acme' });
  accounts.open({ name: 'acme', token: 'second' });
  expect(accounts.findByToken(token)).toBe(account);
  expect(accounts.findByToken('second')).toBe(account);
  expect(accounts.findByToken('third')).toBeUndefined();
});

it('refuses a token of another account, and an unknown name', () => {
  const accounts = new Accounts();
  accounts.open({ name: 'acme', token: 'mine' });
  expect(() => accounts.open({ name: 'globex', token: 'mine' })).toThrow(ConflictError);
  expect(accounts.all()).toHaveLength(1);
  expect(() => accounts.get('globex')).toThrow(NotFoundError);
});
