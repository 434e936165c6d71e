import type { RequestHandler } from 'express';

/**
 * Handlers as one: the same order and the same way of failing as in an Express app, whose walk from one to the next costs
 * about a microsecond each.
 */
export function oneAfterAnother(handlers: readonly RequestHandler[]): RequestHandler {
  return (req, res, leave) => {
    let at = 0;
    // Without a failure it would go on to what ends unknown paths.
    const fail = (thrown: unknown): void => leave(thrown || new Error('A handler failed without a reason'));
    const go = (failure?: unknown): void => {
      const handler = handlers[at];
      if (failure !== undefined || handler === undefined) return leave(failure);
      at += 1;
      try {
        const running: unknown = handler(req, res, go);
        if (running instanceof Promise) running.catch(fail);
      } catch (thrown) {
        fail(thrown);
      }
    };
    go();
  };
}
