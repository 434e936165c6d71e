import type { Request, RequestHandler, Response } from 'express';
import { compose } from './router';

const leave = jest.fn();
beforeEach(() => leave.mockReset());

/** What is left with, once the handlers are through. */
async function run(...handlers: RequestHandler[]): Promise<unknown[]> {
  const left = new Promise<unknown[]>((resolve) => leave.mockImplementation((...given) => resolve(given)));
  void compose(handlers)({} as Request, {} as Response, leave);
  return await left;
}

const step: RequestHandler = (_req, _res, next) => next();
const fault = new Error('no');
const throwing = (thrown: unknown): RequestHandler => {
  return () => {
    throw thrown;
  };
};

it('leaves without a failure behind the last handler', async () => {
  expect(await run(step, step)).toEqual([undefined]);
});

it.each<[string, RequestHandler]>([
  ['passed on', (_req, _res, next) => next(fault)],
  ['thrown', throwing(fault)],
  ['rejected with', () => Promise.reject(fault)],
])('leaves with what is %s, past the other handlers', async (_, failing) => {
  const other = jest.fn();
  expect(await run(step, failing, other)).toEqual([fault]);
  expect(other).not.toHaveBeenCalled();
});

// Without a failure the request would continue to the handler of unknown paths, and a defect would be reported as a 404.
it.each([[undefined], [null], ['']])('a failure is one also where its reason is %p', async (reason) => {
  const error = expect.objectContaining({ message: 'A handler failed without a reason' });
  expect(await run(throwing(reason))).toEqual([error]);
  expect(await run(() => Promise.reject(reason))).toEqual([error]);
});
