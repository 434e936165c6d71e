import type { ApiKey } from '@sluice/types';
import { callerFinder, type CallerSource } from './find-caller';

const stored: ApiKey = { id: 'key-1', key: 'key-1', projectId: 'p1', label: 'ci', scopes: ['write'] };

/** A store that knows some keys, and counts how often it is asked. */
function storeWith(keys: Map<string, ApiKey>) {
  const asked: string[] = [];
  const findPresented = (secret: string) => {
    asked.push(secret);
    return Promise.resolve(keys.get(secret));
  };
  const findNamed = () => Promise.resolve(undefined);
  return { asked, store: { apiKeys: { findPresented }, jwtKeys: { findNamed } } as unknown as CallerSource['store'] };
}

describe('callerFinder', () => {
  it('finds an API key with its project and scopes', async () => {
    const { store } = storeWith(new Map([['sk_a', stored]]));
    const caller = await callerFinder({ store })('sk_a');
    expect(caller).toEqual({ kind: 'api-key', keyId: 'key-1', projectId: 'p1', scopes: ['write'] });
  });

  it('knows the bootstrap key without asking, and only when there is one', async () => {
    const { store, asked } = storeWith(new Map());
    const adminKey = 'bootstrap-key-000000';
    expect(await callerFinder({ store, adminKey })(adminKey)).toEqual({ kind: 'admin', keyId: 'admin', scopes: [] });
    expect(asked).toEqual([]);
    expect(await callerFinder({ store })(adminKey)).toBeUndefined();
  });

  it('asks once for many requests at once', async () => {
    const { store, asked } = storeWith(new Map([['sk_a', stored]]));
    const find = callerFinder({ store });
    await Promise.all([find('sk_a'), find('sk_a'), find('sk_a')]);
    await find('sk_a');
    expect(asked).toHaveLength(1);
  });

  // Reliability 4.1, row 7: a revoked key is out of force within a second.
  it('counts the second from before it asked', async () => {
    let now = 5_000;
    const answers = [stored, undefined];
    const findPresented = () => {
      now += 600;
      return Promise.resolve(answers.shift());
    };
    const source = { store: { apiKeys: { findPresented } }, now: () => now } as unknown as CallerSource;
    const find = callerFinder(source);
    expect(await find('sk_a')).toBeDefined();
    now += 400;
    expect(await find('sk_a')).toBeUndefined();
  });

  it('knows a new key at once, although it was refused a moment ago', async () => {
    const keys = new Map<string, ApiKey>();
    const find = callerFinder({ store: storeWith(keys).store });
    expect(await find('sk_a')).toBeUndefined();
    keys.set('sk_a', stored);
    expect(await find('sk_a')).toBeDefined();
  });

  it('passes on a failure of the store, and asks again afterwards', async () => {
    const answers = [() => Promise.reject(new Error('down')), () => Promise.resolve(stored)];
    const findPresented = () => answers.shift()!();
    const find = callerFinder({ store: { apiKeys: { findPresented } } as unknown as CallerSource['store'] });
    await expect(find('sk_a')).rejects.toThrow('down');
    expect(await find('sk_a')).toBeDefined();
  });
});
