import type { RequestHandler } from '@sluice/http';
import type { ImitatedProvider } from '../control/imitated-provider';
import type { Sandbox } from '../sandbox';
import { deliver, keepOpen } from './deliver';
import { performCall } from './perform-call';
import { receiveCall } from './received-call';

/** Connects the addresses of a provider to the wire. */
export function providerHandler(sandbox: Sandbox, provider: ImitatedProvider): RequestHandler {
  return async (req, res) => {
    keepOpen(req);
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

const isAbort = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
