import type { Caller } from '@sluice/types';
import { canonicalJson, readKey } from './idempotency';

const path = ['p', 'i', 'contacts'];
const caller: Caller = { kind: 'api-key', keyId: 'key-1', projectId: 'p', scopes: ['write'] };
const hashOf = (body: unknown, of = path) => readKey('k', { caller, path: of, body }).bodyHash;

it('two requests are the same whatever the order of members, at any depth, but not of items', () => {
  expect(hashOf({ a: 1, b: { c: [1, { d: 2, e: 3 }], f: null } })).toBe(
    hashOf({ b: { f: null, c: [1, { e: 3, d: 2 }] }, a: 1 }),
  );
  expect(hashOf({ a: [1, 2] })).not.toBe(hashOf({ a: [2, 1] }));
});

it.each<[string, unknown, unknown]>([
  ['a text and a number', { a: '1' }, { a: 1 }],
  ['null and absent', { a: null }, {}],
  ['an empty object and an empty list', { a: {} }, { a: [] }],
  ['a name with a quote', { 'a":1,"b': 2 }, { a: 1, b: 2 }],
  ['upper and lower case', { a: 'X' }, { a: 'x' }],
])('%s differ', (_, one, other) => {
  expect(canonicalJson(one)).not.toBe(canonicalJson(other));
});

it('another path is another request', () => {
  expect(hashOf({}, ['p', 'i', 'deals'])).not.toBe(hashOf({}));
});

it('takes 255 visible ASCII characters, no more and no others', () => {
  expect(readKey('~'.repeat(255), { caller, path, body: {} }).key).toHaveLength(255);
  expect(() => readKey('k'.repeat(256), { caller, path, body: {} })).toThrow(/255 characters; this one has 256/);
  expect(() => readKey('', { caller, path, body: {} })).toThrow(/must not be empty/);
  for (const key of ['a b', 'ä', 'a\tb', 'a\x7f'])
    expect(() => readKey(key, { caller, path, body: {} })).toThrow(/visible ASCII/);
});

// Otherwise a group could take the keys of another one, or learn from a 422 which it used.
it('a bearer token has the keys of its group to itself', () => {
  const tokenOf = (groupRef: string): Caller => ({ ...caller, kind: 'token', groupRef, consumerRef: 'c' });
  const scopes = [caller, tokenOf('a'), tokenOf('b')].map((who) => readKey('k', { caller: who, path, body: {} }).scope);
  expect(new Set(scopes).size).toBe(3);
});
