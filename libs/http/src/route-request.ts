import type { Request, Response } from 'express';
import { childTraceparent, type HeldBytes } from '@sluice/telemetry';
import type { Caller } from '@sluice/types';
import { heldOf, localsOf } from './request-locals';
import { callerOf } from './authenticator';

/** Types of the checked parts of a request; a part that is left out is taken as it comes. */
export interface RouteParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The parts of a request after their checks. */
export interface CheckedParts<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
  readonly body: P['body'];
  /** Size of the body in bytes. */
  readonly bodyBytes: number;
  /** The body of a route that takes `bytes`; empty for every other. */
  readonly bodyContent: Buffer;
}

/** One request as a route's handler sees it: checked, and without Express. */
export class RouteRequest<P extends RouteParts> {
  readonly params: P['params'];
  readonly query: P['query'];
  readonly body: P['body'];
  /** See CheckedParts. */
  readonly bodyBytes: number;
  readonly bodyContent: Buffer;
  private leaving: AbortController | undefined;

  constructor(
    private readonly req: Request,
    private readonly res: Response,
    parts: CheckedParts<P>,
  ) {
    this.params = parts.params;
    this.query = parts.query;
    this.body = parts.body;
    this.bodyBytes = parts.bodyBytes;
    this.bodyContent = parts.bodyContent;
  }

  /** Who asks. @throws DefectError when the app has no authenticator */
  get caller(): Caller {
    return callerOf(this.res);
  }

  get requestId(): string {
    return localsOf(this.res).requestId;
  }

  /** Path and query as they were sent, from the root. */
  get url(): string {
    return this.req.originalUrl;
  }

  /** Place of this request in its trace, which is the caller's, or a new one. */
  get traceparent(): string {
    return localsOf(this.res).step?.traceparent ?? childTraceparent(this.header('traceparent'));
  }

  /** Takes what the request holds of budgets until its reply is done. */
  get held(): HeldBytes {
    return heldOf(this.res);
  }

  /** Aborts when the caller leaves before the reply. Not for work that must end once begun. */
  get signal(): AbortSignal {
    if (!this.leaving) {
      const leaving = new AbortController();
      this.leaving = leaving;
      this.res.once('close', () => {
        if (!this.res.writableFinished) leaving.abort();
      });
    }
    return this.leaving.signal;
  }

  /** Value of a request header, any case; undefined when absent, '' when it was sent without a value. */
  header(name: string): string | undefined {
    const value = this.req.headers[name.toLowerCase()];
    return Array.isArray(value) ? value.join(', ') : value;
  }
}
