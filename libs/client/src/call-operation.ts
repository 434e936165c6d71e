import { SluiceConnectionError, toApiError } from './api-error';
import type { Api, CallOptions, OperationShape, RawApi, Reply } from './operation-shape';
import { sendRequest, type Sender } from './send-request';

export type Shapes<O> = Readonly<Record<keyof O & string, OperationShape>>;
export type Params = Readonly<Record<string, unknown>>;

/** Longest pause before a repeat: a caller who has to wait longer decides whether to. */
const pauseMaxMs = 10_000;
/** First pause when the reply names none. */
const pauseMs = 250;

/** Sends a request of an operation. @throws SluiceApiError for a reply that is no success, SluiceConnectionError for none */
export type Exchange = (...call: Call) => Promise<Reply<never>>;

type Call = [name: string, shape: OperationShape, params: Params, options?: CallOptions | undefined];

/** @param retries repeats of a safe request that may succeed later */
export function createExchange(sender: Sender, retries: number): Exchange {
  return async (...call) => {
    const [, shape, , options] = call;
    for (let repeats = 0; ; repeats += 1) {
      const outcome = await attempt(sender, call);
      if (!(outcome instanceof Error)) return outcome;
      const waitMs = pauseOf(outcome, repeats);
      if (waitMs === undefined || waitMs > pauseMaxMs || repeats >= retries || !isSafe(shape, options)) throw outcome;
      await pause(waitMs, options?.signal ?? sender.signal);
    }
  };
}

/** The reply, or the error of an attempt that may be repeated; others are thrown. */
async function attempt(sender: Sender, [name, shape, params, options]: Call): Promise<Reply<never> | Error> {
  try {
    const reply = await sendRequest<never>(sender, shape, params, options);
    return reply.status < 300 ? reply : toApiError(name, reply);
  } catch (error) {
    if (error instanceof SluiceConnectionError) return error;
    throw error;
  }
}

export function createApi<O>(exchange: Exchange, shapes: Shapes<O>): Api<O> {
  return methodsOf(shapes, async (...call) => (await exchange(...call)).body) as Api<O>;
}

export function createRawApi<O>(sender: Sender, shapes: Shapes<O>): RawApi<O> {
  return methodsOf(shapes, (_name, shape, params, options) => sendRequest(sender, shape, params, options)) as RawApi<O>;
}

/** A method for each operation. */
export function methodsOf<O>(shapes: Shapes<O>, perform: (...call: Call) => unknown): object {
  const methods = Object.entries<OperationShape>(shapes).map(([name, shape]) => [
    name,
    (params: Params = {}, options?: CallOptions) => perform(name, shape, params, options),
  ]);
  return Object.fromEntries(methods) as object;
}

/** Safe: it reads, or the service recognises the repeat. */
function isSafe({ method }: OperationShape, options: CallOptions | undefined): boolean {
  return method === 'GET' || options?.idempotencyKey !== undefined;
}

/** Milliseconds until the repeat; undefined: there is none. A reply that took too long is not waited for again. */
function pauseOf(error: Error, repeats: number): number | undefined {
  // Half of it by chance: clients that failed together do not come back together.
  const backoffMs = pauseMs * 2 ** repeats * (0.5 + Math.random() / 2);
  if (error instanceof SluiceConnectionError) {
    return (error.cause as Error | undefined)?.name === 'TimeoutError' ? undefined : backoffMs;
  }
  const { retryable, retryAfter } = error as ReturnType<typeof toApiError>;
  if (!retryable) return undefined;
  return retryAfter === undefined ? backoffMs : Math.max(0, retryAfter.getTime() - Date.now());
}

/** Rejects with the signal's reason when it aborts first. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', leave);
      resolve();
    }, ms);
    if (signal?.aborted) leave();
    else signal?.addEventListener('abort', leave, { once: true });
  });
}
