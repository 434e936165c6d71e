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

/** Lets a caller pass that is one of these; see scopeCheck. */
export function requireScope(...allowed: readonly Admission[]): RequestHandler {
  const check = scopeCheck(allowed);
  return (_req, res, next) => {
    check(callerOf(res));
    next();
  };
}

/** @throws ForbiddenError `auth.scope-missing`, 403 */
export type ScopeCheck = (caller: Caller) => void;

/**
 * Lets a key pass that has one of the scopes, or `full`. `admin` stands for the bootstrap key and `token` for bearer
 * tokens, which have no other right; no scope of a key includes them.
 */
export function scopeCheck(allowed: readonly Admission[]): ScopeCheck {
  const forKeys = allowed.filter((one) => one !== 'admin' && one !== 'token');
  const passing: ReadonlySet<string> = new Set(forKeys.length > 0 ? ['full', ...forKeys] : []);
  return (caller) => {
    const passes =
      caller.kind === 'api-key' ? caller.scopes.some((scope) => passing.has(scope)) : allowed.includes(caller.kind);
    if (!passes) throw scopeMissing(caller, allowed);
  };
}

function scopeMissing(caller: Caller, allowed: readonly Admission[]): ForbiddenError {
  const named = allowed.filter((one) => one !== 'token').join(', ');
  return new ForbiddenError({
    code: 'auth.scope-missing',
    detail:
      caller.kind === 'token'
        ? `Bearer tokens may not do this; it needs a key with one of the scopes: ${named}.`
        : `This needs a key with one of the scopes: ${named}.`,
    ...(caller.kind === 'token' ? { remedy: "Send the request from the builder's backend, with an API key." } : {}),
  });
}
