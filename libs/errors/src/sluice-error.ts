import type { ProblemCode } from './problems';

/**
 * When the same attempt may be made again. Decided where the knowledge is, used where the policy is.
 * `after-refresh` means: once, with a fresh access token.
 */
export type Retry = 'never' | 'backoff' | 'after-refresh';

/** Log fields of an error: flat, and never a secret or a customer's value. */
export type ErrorMeta = Readonly<Record<string, string | number | boolean>>;

export interface SluiceErrorOptions {
  /** Key of the problem registry, which gives status, title and the usual remedy. */
  readonly code: ProblemCode;
  /** A sentence that is safe to show to a caller: names the field, the rule and the value (unless secret). */
  readonly detail: string;
  /** Overrides the registry's remedy where a better one is known. */
  readonly remedy?: string;
  readonly meta?: ErrorMeta;
  /** Not before this long, in milliseconds. Shown as `Retry-After`. */
  readonly retryAfterMs?: number;
  /** What was caught. Logged, never shown. */
  readonly cause?: unknown;
}

/**
 * Root of every error that crosses a package border.
 * `detail`, `code` and `remedy` may be shown; `message` and `cause` may not.
 */
export abstract class SluiceError extends Error {
  abstract readonly retry: Retry;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly remedy: string | undefined;
  readonly meta: ErrorMeta;
  readonly retryAfterMs: number | undefined;

  constructor(options: SluiceErrorOptions) {
    super(`${options.code}: ${options.detail}`, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.detail = options.detail;
    this.remedy = options.remedy;
    this.meta = options.meta ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** Our database, broker, cache or another process of ours failed. Shown as 503, always worth a retry. */
export class DependencyError extends SluiceError {
  override readonly retry = 'backoff';
}

/** An invariant of ours is broken. Never retried, always alerts; shown as 500 without its detail. */
export class DefectError extends SluiceError {
  override readonly retry = 'never';
}
