import type { RequestHandler } from 'express';

/**
 * Handlers as one: the same order and the same way of failing as in an Express app, whose walk from one to the next costs
 * about a microsecond each. For those that see every request.
 */
export function oneAfterAnother(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    let at = 0;
    const go = (error?: unknown): void => {
      const handler = handlers[at];
      if (error !== undefined || handler === undefined) return next(error);
      at += 1;
      try {
        void handler(req, res, go);
      } catch (thrown) {
        next(thrown);
      }
    };
    go();
  };
}
