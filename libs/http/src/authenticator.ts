import type { RequestHandler } from 'express';
import { AuthError } from '@sluice/errors';
import type { Caller } from '@sluice/types';
import { localsOf } from './request-locals';

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
