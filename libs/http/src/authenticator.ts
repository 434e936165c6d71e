import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { AuthError, ForbiddenError, RateLimitedError } from '@sluice/errors';
import type { Admission, Caller } from '@sluice/types';
import { callerOf, localsOf } from './request-state';

/** Sets the caller of a request. @throws AuthError, RateLimitedError when it may not go on */
export type Authenticate = (req: Request, res: Response) => void | Promise<void>;

/** Finds the owner of a presented secret; undefined when there is none. Gets the secret itself: hash it, never log it. */
export type CallerLookup = (presented: string) => Caller | undefined | Promise<Caller | undefined>;

/**
 * Sent by the pages of a service besides the cookie of a session. Cookies count only with it: no form can send it, and no script of another site,
 * because it is not among the headers that `cors` allows.
 */
export const pageHeader = 'sluice-console';

/** Finds the person who is signed in in the browser that sent these cookies. */
export type PersonLookup = (cookies: string | undefined) => Promise<Caller | undefined>;

const bearer = /^bearer +(\S+)$/i;

/**
 * Reads `x-api-key` or `Authorization: Bearer` and sets the caller.
 * @throws AuthError, 401 with `WWW-Authenticate`, when there is none, when nobody owns it, or when the two headers differ
 * @param findPerson where people sign in: asked when a page sent neither header
 */
export function authenticator(lookup: CallerLookup, findPerson?: PersonLookup): Authenticate {
  return (req, res) => {
    const { 'x-api-key': key, authorization, cookie, [pageHeader]: page } = req.headers;
    if (findPerson && page !== undefined && key === undefined && authorization === undefined) {
      return findPerson(cookie).then((person) => admit(res, person, nobodySignedIn));
    }
    const found = lookup(presentedSecret(key, authorization));
    // Most callers are known at once and need no turn of the event loop.
    return found instanceof Promise ? found.then((caller) => admit(res, caller)) : admit(res, found);
  };
}

const nobodySignedIn = {
  code: 'auth.invalid',
  detail: 'Nobody is signed in in this browser, or not any more.',
  remedy: 'Sign in again.',
} as const;

const unknownKey = { code: 'auth.invalid', detail: 'The API key or token is unknown, revoked or expired.' } as const;

function admit(
  res: Response,
  caller: Caller | undefined,
  refusal: typeof nobodySignedIn | typeof unknownKey = unknownKey,
) {
  if (!caller) throw new AuthError({ ...refusal });
  localsOf(res).caller = caller;
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

/**
 * Accepts a key that has one of the scopes, or `full`. `admin` means the bootstrap key and `token` bearer
 * tokens, which have no other right; no scope of a key includes them.
 * @returns a check that throws ForbiddenError `auth.scope-missing`, 403
 */
export function scopeCheck(allowed: readonly Admission[]): (caller: Caller) => void {
  const forKeys = allowed.filter((one) => one !== 'admin' && one !== 'token');
  const passing: ReadonlySet<string> = new Set(forKeys.length > 0 ? ['full', ...forKeys] : []);
  return (caller) => {
    const hasScopes = caller.kind === 'api-key' || caller.kind === 'person';
    const passes = hasScopes
      ? caller.scopes.some((scope) => passing.has(scope))
      : allowed.some((one) => one === caller.kind);
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
        : `This needs ${caller.kind === 'person' ? 'a role' : 'a key'} with one of the scopes: ${named}.`,
    ...(caller.kind === 'token' ? { remedy: "Send the request from the builder's backend, with an API key." } : {}),
  });
}

/** Counts requests in windows that all processes share. The quota buckets of @sluice/redis are one. */
export interface RequestCounter {
  /** Never throws. */
  take(
    bucket: string,
    request: { readonly limit: number; readonly windowMs: number; readonly priority: 'synchronous' },
  ): Promise<{ readonly granted: boolean; readonly retryAfterMs: number }>;
}

interface RequestLimitSettings {
  /** Requests of one API key, or of one signed-in person, in any second, over all services and processes. 0: no limit. */
  readonly requestsPerSecondKey: number;
  /** The same of one group: of its bearer tokens, and of API keys where the request names the group. 0: no limit. */
  readonly requestsPerSecondGroup: number;
}

interface RequestLimit {
  readonly limit: number;
  readonly whose: string;
  readonly setting: string;
}

const windowMs = 1_000;

/** Keeps one caller's requests from displacing those of the others. Counts nothing while both limits are 0. */
export class RequestLimits {
  private readonly ofKey: RequestLimit;
  private readonly ofPerson: RequestLimit;
  private readonly ofGroup: RequestLimit;

  constructor(
    private readonly counter: RequestCounter,
    { requestsPerSecondKey: ofKey, requestsPerSecondGroup: ofGroup }: RequestLimitSettings,
  ) {
    this.ofKey = { limit: ofKey, whose: 'The API key', setting: 'SLUICE_REQUESTS_PER_SECOND_KEY' };
    this.ofPerson = { ...this.ofKey, whose: 'The person' };
    this.ofGroup = { limit: ofGroup, whose: 'The group', setting: 'SLUICE_REQUESTS_PER_SECOND_GROUP' };
  }

  /**
   * The authenticator, and behind it the limit of an API key, of a person, or of a bearer token's group: before anything of the request is read.
   * Bearer tokens of one signing key are not counted together: they belong to many customers. Nor is the bootstrap key.
   * @throws RateLimitedError `request.rate-limited`
   */
  after(authenticate: Authenticate): Authenticate {
    if (this.ofKey.limit === 0 && this.ofGroup.limit === 0) return authenticate;
    return async (req, res) => {
      const admitted = authenticate(req, res);
      if (admitted instanceof Promise) await admitted;
      await this.assertCaller(callerOf(res));
    };
  }

  /**
   * The limit of the group that an API key's request is for, once that is known. A bearer token was counted before.
   * @throws RateLimitedError `request.rate-limited`
   */
  async assertGroup({ kind, projectId }: Caller, groupRef: string): Promise<void> {
    if (kind === 'api-key' && projectId !== undefined)
      await this.assertBelow(groupBucket(projectId, groupRef), this.ofGroup);
  }

  private async assertCaller({ kind, keyId, projectId, groupRef }: Caller): Promise<void> {
    if (kind === 'api-key') await this.assertBelow(`key:${keyId}`, this.ofKey);
    // Whom a person is called is not for Redis either.
    else if (kind === 'person') await this.assertBelow(`person:${hash('sha256', keyId, 'base64url')}`, this.ofPerson);
    else if (projectId !== undefined && groupRef !== undefined)
      await this.assertBelow(groupBucket(projectId, groupRef), this.ofGroup);
  }

  private async assertBelow(bucket: string, { limit, whose, setting }: RequestLimit): Promise<void> {
    if (limit === 0) return;
    const request = { limit, windowMs, priority: 'synchronous' } as const;
    const { granted, retryAfterMs } = await this.counter.take(`requests:${bucket}`, request);
    if (granted) return;
    throw new RateLimitedError({
      code: 'request.rate-limited',
      detail: `${whose} may send ${limit} requests a second (${setting}), and has sent them. Nothing was done.`,
      retryAfterMs,
    });
  }
}

/** Hashed: a customer's name does not belong in Redis, and may be of any length. */
function groupBucket(projectId: string, groupRef: string): string {
  return `group:${projectId}:${hash('sha256', groupRef, 'base64url')}`;
}
