import { ForbiddenError } from '@sluice/errors';
import type { Caller } from '@sluice/types';
import { scopeCheck } from './authenticator';

const key = (...scopes: string[]): Caller => ({ kind: 'api-key', keyId: 'k', projectId: 'p', scopes });
const token: Caller = { kind: 'token', keyId: 'k', projectId: 'p', scopes: [], groupRef: 'g', consumerRef: 'c' };
const admin: Caller = { kind: 'admin', keyId: 'bootstrap', scopes: ['full', 'admin'] };

describe('scopeCheck', () => {
  it.each([
    [key('write'), ['write'] as const],
    [key('read', 'search'), ['write', 'search'] as const],
    [key('full'), ['frontend'] as const],
    [admin, ['frontend', 'admin'] as const],
    [token, ['frontend', 'token'] as const],
  ])('%j passes %j', (caller, allowed) => expect(() => scopeCheck(allowed)(caller)).not.toThrow());

  it.each([
    [key('read'), ['write'] as const],
    [key('full'), ['admin'] as const],
    [key('admin'), ['admin'] as const],
    [key('full'), [] as const],
    [admin, ['write', 'read'] as const],
    [key('full'), ['token'] as const],
    [key('token'), ['token'] as const],
    [token, ['full', 'frontend', 'admin'] as const],
    [{ ...token, scopes: ['full'] }, ['frontend'] as const],
  ])('%j does not pass %j', (caller, allowed) => expect(() => scopeCheck(allowed)(caller)).toThrow(ForbiddenError));
});
