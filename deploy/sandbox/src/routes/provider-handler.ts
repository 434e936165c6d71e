import type { Request, RequestHandler, Response } from '@sluice/http';
import type { ImitatedProvider } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import type { Ending } from './ending';
import { performCall } from './perform-call';
import { receiveCall } from './received-call';

/** Connects the addresses of a provider to the wire. */
export function providerHandler(sandbox: Sandbox, provider: ImitatedProvider): RequestHandler {
  return async (req, res) => {
    const received = await receiveCall(req);
    if (!received) {
      req.socket.destroy();
      return;
    }
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    try {
      deliver(req, res, await performCall(sandbox, { provider, received, gone: gone.signal }));
    } catch (error) {
      // The account was cleared or the sandbox closes while the call was waiting.
      if (!isAbort(error)) throw error;
      req.socket.destroy();
    }
  };
}

function deliver(req: Request, res: Response, { reply, isHalf }: Ending): void {
  if (!reply) {
    req.socket.resetAndDestroy();
    return;
  }
  res.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) res.setHeader(name, value);
  const payload = Buffer.from(reply.payload);
  // RFC 9110, 8.6: no length where there cannot be a body.
  if (reply.status !== 204 && reply.status !== 304) res.setHeader('content-length', payload.length);
  if (!isHalf) res.end(payload);
  // Ended rather than reset, so that the half that was sent arrives.
  else res.write(payload.subarray(0, payload.length / 2), () => req.socket.destroy());
}

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
