import type { RequestHandler, Response } from 'express';
import { DefectError, ForbiddenError } from '@sluice/errors';
import type { Admission, Caller } from '@sluice/types';
import { localsOf } from './request-locals';

/** Who sent the request. @throws DefectError on a route without an authenticator */
export function callerOf(res: Response): Caller {
  const { caller } = localsOf(res);
  if (!caller) throw new DefectError({ code: 'service.defect', detail: 'a route asks for a caller it does not check' });
  return caller;
}

/** Lets a caller pass that is one of these; see checkScope. */
export function requireScope(...allowed: readonly Admission[]): RequestHandler {
  return (_req, res, next) => {
    checkScope(callerOf(res), allowed);
    next();
  };
}

/**
 * Lets a key pass that has one of the scopes, or `full`. `admin` stands for the bootstrap key and `token` for bearer
 * tokens, which have no other right; no scope of a key includes them.
 * @throws ForbiddenError `auth.scope-missing`, 403
 */
export function checkScope(caller: Caller, allowed: readonly Admission[]): void {
  const forKeys = allowed.filter((one) => one !== 'admin' && one !== 'token');
  const hasScope = caller.scopes.some((scope) => scope === 'full' || forKeys.some((one) => one === scope));
  const passes = caller.kind === 'api-key' ? forKeys.length > 0 && hasScope : allowed.includes(caller.kind);
  if (passes) return;
  const named = allowed.filter((one) => one !== 'token').join(', ');
  throw new ForbiddenError({
    code: 'auth.scope-missing',
    detail:
      caller.kind === 'token'
        ? `Bearer tokens may not do this; it needs a key with one of the scopes: ${named}.`
        : `This needs a key with one of the scopes: ${named}.`,
    ...(caller.kind === 'token' ? { remedy: "Send the request from the builder's backend, with an API key." } : {}),
  });
}
