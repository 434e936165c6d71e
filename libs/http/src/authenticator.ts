import type { RequestHandler, Response } from 'express';
import { AuthError, DefectError, ForbiddenError, type SluiceError } from '@sluice/errors';
import type { Caller, Admission } from '@sluice/types';
import { HeldBytes, type Step } from '@sluice/telemetry';

/** Finds who a presented secret belongs to; undefined when nobody. Gets the secret itself: hash it, never log it. */
export type CallerLookup = (presented: string) => Caller | undefined | Promise<Caller | undefined>;

const bearer = /^bearer +(\S+)$/i;

/**
 * Takes `x-api-key` or `Authorization: Bearer` and puts the caller on `res.locals.caller`.
 * Answers 401 with `WWW-Authenticate` when there is none, when nobody owns it, or when the two headers differ.
 */
export function authenticator(lookup: CallerLookup): RequestHandler {
  return (req, res, next) => {
    const found = lookup(presentedSecret(req.headers['x-api-key'], req.headers.authorization));
    const admit = (caller: Caller | undefined): void => {
      if (!caller) {
        throw new AuthError({ code: 'auth.invalid', detail: 'The API key or token is unknown, revoked or expired.' });
      }
      localsOf(res).caller = caller;
      next();
    };
    // Most callers are known at once, and need not wait for a turn.
    return found instanceof Promise ? found.then(admit) : admit(found);
  };
}

function presentedSecret(key: string | string[] | undefined, authorization: string | undefined): string {
  const apiKey = typeof key === 'string' && key !== '' ? key : undefined;
  const token = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
  if (apiKey !== undefined && token !== undefined && apiKey !== token) {
    throw new AuthError({
      code: 'auth.invalid',
      detail: 'The headers x-api-key and Authorization carry different credentials.',
      remedy: 'Send one of the two headers.',
    });
  }
  const presented = apiKey ?? token;
  if (presented !== undefined) return presented;
  const detail = authorization ? 'Authorization does not carry a bearer token.' : 'Neither header was sent.';
  throw new AuthError({ code: 'auth.missing', detail });
}

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
type ScopeCheck = (caller: Caller) => void;

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

/** What the kit knows about one request. Kept in `res.locals`. */
export interface RequestLocals {
  requestId: string;
  /** Monotonic milliseconds. */
  startedAt: number;
  /** The request as a step of its trace; absent for what is not part of the API: probes, pages. */
  step?: Step;
  /** Template of the matched route, for metrics; absent when none matched. */
  route?: string;
  /** Set by the authenticator. */
  caller?: Caller;
  /** What it holds of budgets; see `heldOf`. */
  held?: HeldBytes;
  /** What the problem handler presented; logged with the request, once. */
  failure?: SluiceError;
}

/** The kit's notes on the request that `res` answers. */
export function localsOf(res: Response): RequestLocals {
  return res.locals as RequestLocals;
}

/** What a request takes of budgets: given back when its reply is done or its caller has left. */
export function heldOf(res: Response): HeldBytes {
  const locals = localsOf(res);
  if (locals.held === undefined) {
    const held = new HeldBytes(ownerOf(locals.caller));
    locals.held = held;
    res.on('close', () => held.end());
    // He may have left while he was looked up: then `close` was told before anybody listened.
    if (res.closed || res.destroyed) held.end();
  }
  return locals.held;
}

/** A group's own browser takes nothing from the share of its project's backend. */
function ownerOf(caller: Caller | undefined): string | undefined {
  if (caller?.kind === 'token') return `${caller.projectId}/${caller.groupRef}`;
  return caller?.projectId;
}
