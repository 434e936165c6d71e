import { SluiceError, type SluiceErrorOptions } from './sluice-error';

/** The caller can fix it. Nothing was written. */
export abstract class RequestError extends SluiceError {
  override readonly retry: SluiceError['retry'] = 'never';
}

/** One broken rule of a request. Source of the members: `InputValidationIssue` of the published API. */
export interface Issue {
  readonly in: 'body' | 'header' | 'path' | 'query';
  /** Path of the field, in dots and brackets: `batch[3].record.id`. */
  readonly name: string;
  /** The rule that is broken, as a sentence. */
  readonly detail: string;
  /** What was sent, shortened; absent when it was secret or absent. */
  readonly value?: unknown;
}

/** The request breaks one or more rules; all of them are listed. */
export class ValidationError extends RequestError {
  readonly issues: readonly Issue[];
  constructor(options: SluiceErrorOptions & { readonly issues: readonly Issue[] }) {
    super(options);
    this.issues = options.issues;
  }
}

/** No valid credentials: 401. */
export class AuthError extends RequestError {}

/** Valid credentials without the right to do this: 403. */
export class ForbiddenError extends RequestError {}

/** A named thing does not exist inside the caller's project: 404. */
export class NotFoundError extends RequestError {}

/** The request contradicts what is stored: 409. */
export class ConflictError extends RequestError {}

/** Our own limit, not the provider's: 429. */
export class RateLimitedError extends RequestError {
  override readonly retry = 'backoff';
}
