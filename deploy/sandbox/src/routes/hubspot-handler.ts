import type { Request, RequestHandler, Response } from '@sluice/http';
import type { Sandbox } from '../sandbox';
import type { HubspotRoute } from './hubspot-route';
import type { Ending } from './ending';
import { performCall } from './perform-call';
import { receiveCall } from './received-call';

/** Connects an endpoint to the wire. Without a route: a path that HubSpot does not have. */
export function hubspotHandler(sandbox: Sandbox, route?: HubspotRoute): RequestHandler {
  return async (req, res) => {
    const received = await receiveCall(req);
    if (!received) {
      req.socket.destroy();
      return;
    }
    const gone = new AbortController();
    res.once('close', () => gone.abort());
    try {
      deliver(req, res, await performCall(sandbox, { received, route, gone: gone.signal }));
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
  res.setHeader('content-length', payload.length);
  if (!isHalf) res.end(payload);
  // Ended rather than reset, so that the half that was sent arrives.
  else res.write(payload.subarray(0, payload.length / 2), () => req.socket.destroy());
}

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
