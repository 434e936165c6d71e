import { SluiceApiError } from './api-error';
import type { Api, CallOptions, OperationShape, RawApi } from './operation-shape';
import { sendRequest, type Sender } from './send-request';

type Shapes<O> = Readonly<Record<keyof O & string, OperationShape>>;
type Params = Readonly<Record<string, unknown>>;

/** Longest pause before a repeat: who is told to wait longer decides himself whether he does. */
const pauseMaxMs = 10_000;
/** First pause when the reply names none. */
const pauseMs = 250;

/** @param retries repeats of a safe request whose problem is retryable */
export function createApi<O>(sender: Sender, shapes: Shapes<O>, retries: number): Api<O> {
  return methodsOf(shapes, async (name, shape, params, options) => {
    for (let repeats = 0; ; repeats += 1) {
      const reply = await sendRequest(sender, shape, params, options);
      if (reply.status < 300) return reply.body;
      const error = new SluiceApiError(name, reply);
      const waitMs = pauseOf(error, repeats);
      if (repeats >= retries || !isSafe(shape, options) || !error.retryable || waitMs > pauseMaxMs) throw error;
      await pause(waitMs, options?.signal ?? sender.signal);
    }
  }) as Api<O>;
}

export function createRawApi<O>(sender: Sender, shapes: Shapes<O>): RawApi<O> {
  return methodsOf(shapes, (_name, shape, params, options) => sendRequest(sender, shape, params, options)) as RawApi<O>;
}

type Perform = (
  name: string,
  shape: OperationShape,
  params: Params,
  options: CallOptions | undefined,
) => Promise<unknown>;

function methodsOf<O>(shapes: Shapes<O>, perform: Perform): object {
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

function pauseOf({ retryAfter }: SluiceApiError, repeats: number): number {
  return retryAfter === undefined ? pauseMs * 2 ** repeats : Math.max(0, retryAfter.getTime() - Date.now());
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
