import type { ErrorRequestHandler, Express, NextFunction, Request, RequestHandler, Response } from 'express';
import { InboundError } from './problem-handler';

/** What an Express app is called by; not in its types. */
interface Walker {
  handle(this: Walker, req: Request, res: Response, done?: NextFunction): void;
}

/**
 * Refuses addresses without a path, as `http://?x` in the absolute form of a request target: Express walks no handler for them, and would
 * answer with a page of its own.
 * @param observe what every request passes first
 */
export function answerPathless(app: Express, observe: RequestHandler, problemHandler: ErrorRequestHandler): void {
  const walker = app as unknown as Walker;
  const walk = walker.handle.bind(walker);
  const detail = 'The address of the request is not valid: it has no path.';
  walker.handle = (req, res, done) => {
    const refuse = (): unknown => problemHandler(new InboundError({ code: 'request.invalid', detail }), req, res, none);
    // A failure comes out of Express only when the handler of failures has failed: it is known by then, and nothing can be answered.
    const leave = (failure?: unknown): void => void (failure ? res.destroy() : observe(req, res, refuse));
    walk(req, res, done ?? leave);
  };
}

const none = (): void => undefined;
