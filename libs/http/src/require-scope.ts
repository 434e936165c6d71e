import type { RequestHandler, Response } from 'express';
import { DefectError, ForbiddenError } from '@sluice/errors';
import type { Caller, Scope } from '@sluice/types';
import { localsOf } from './request-locals';

/** Who sent the request. @throws DefectError on a route without an authenticator */
export function callerOf(res: Response): Caller {
  const { caller } = localsOf(res);
  if (!caller) throw new DefectError({ code: 'service.defect', detail: 'a route asks for a caller it does not check' });
  return caller;
}

/**
 * Lets a key pass that has one of the scopes, or `full`. `admin` stands for the bootstrap key, which has no other
 * right; no scope of a key includes it.
 */
export function requireScope(...allowed: readonly (Scope | 'admin')[]): RequestHandler {
  return (_req, res, next) => {
    checkScope(callerOf(res), allowed);
    next();
  };
}

/** @throws ForbiddenError `auth.scope-missing`, 403 */
export function checkScope(caller: Caller, allowed: readonly (Scope | 'admin')[]): void {
  const isAllowed = (scope: string) => (scope === 'full' ? true : allowed.some((one) => one === scope));
  const passes =
    caller.kind === 'admin'
      ? allowed.includes('admin')
      : allowed.some((one) => one !== 'admin') && caller.scopes.some((scope) => scope !== 'admin' && isAllowed(scope));
  if (passes) return;
  throw new ForbiddenError({
    code: 'auth.scope-missing',
    detail: `This needs a key with one of the scopes: ${allowed.join(', ')}.`,
  });
}
