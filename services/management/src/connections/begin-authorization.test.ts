import { callbackUrl, cookieIn, cookieOf } from './begin-authorization';
import { hashOf, isHashed, newSecret, newProjectSecret, projectOfSecret } from '../one-time-secrets';

const stateHash = hashOf('state');

it('names the address that is registered at a provider', () => {
  expect(callbackUrl({ publicUrl: undefined, port: 4100 })).toBe('http://127.0.0.1:4100/callbacks/v1/oauth');
  const behindPrefix = callbackUrl({ publicUrl: 'https://a.example/sluice', port: 4100 });
  expect(behindPrefix).toBe('https://a.example/sluice/callbacks/v1/oauth');
  expect(cookieOf(stateHash, 'secret', behindPrefix)).toContain('; Path=/sluice/callbacks/v1/oauth;');
});

it('is for a secure site where there is one', () => {
  expect(cookieOf(stateHash, 'secret', 'https://sluice.example/callbacks/v1/oauth')).toMatch(
    /HttpOnly; SameSite=None; Secure$/,
  );
  expect(cookieOf(stateHash, 'secret', 'http://127.0.0.1:4100/callbacks/v1/oauth')).toMatch(/HttpOnly; SameSite=Lax$/);
});

it('is found among others, and only its own', () => {
  const cookie = cookieOf(stateHash, 'secret', 'https://a.example/callbacks/v1/oauth').split(';')[0];
  expect(cookieIn(`a=b; ${cookie}; c=d`, stateHash)).toBe('secret');
  expect(cookieIn(`a=b; ${cookie}`, hashOf('another'))).toBeUndefined();
  expect(cookieIn(undefined, stateHash)).toBeUndefined();
});

it('a state names its project, and is never the same', () => {
  const state = newProjectSecret('0198-project');
  expect(projectOfSecret(state)).toBe('0198-project');
  expect(newProjectSecret('0198-project')).not.toBe(state);
  for (const bad of ['', '0198-project', '0198-project.', `${state}x`, `a/b.${newSecret()}`]) {
    expect(projectOfSecret(bad)).toBeUndefined();
  }
});

it('recognises a secret by its hash', () => {
  const secret = newSecret();
  expect(isHashed(secret, hashOf(secret))).toBe(true);
  expect(isHashed(newSecret(), hashOf(secret))).toBe(false);
  expect(isHashed(undefined, hashOf(secret))).toBe(false);
});
