import type { Request, Response } from '@sluice/http';
import type { Ending } from '../control/fault-action';
import type { WireReply } from '../control/imitated-provider';

const DRIP_MS = 1000;
const HUGE_BYTES = 1024 ** 3;

/** Sends the outcome of a call, or cuts the connection. */
export function deliver(req: Request, res: Response, { reply, isHalf, delivery }: Ending): void {
  if (!reply) {
    req.socket.resetAndDestroy();
    return;
  }
  res.statusCode = reply.status;
  for (const [name, value] of Object.entries(reply.headers)) res.setHeader(name, value);
  if (delivery?.kind === 'huge') flood(res, reply);
  else if (delivery) drip(res, delivery.delayMs ?? DRIP_MS);
  else if (isHalf) sendHalf(req, res, reply);
  else send(res, reply.status, Buffer.from(reply.payload));
}

function send(res: Response, status: number, payload: Buffer): void {
  setLength(res, status, payload);
  res.end(payload);
}

/** Ends the connection rather than resetting it, so that the half that was sent arrives. */
function sendHalf(req: Request, res: Response, reply: WireReply): void {
  const payload = Buffer.from(reply.payload);
  setLength(res, reply.status, payload);
  res.write(payload.subarray(0, payload.length / 2), () => req.socket.destroy());
}

/** RFC 9110, 8.6: no length where there cannot be a body. */
function setLength(res: Response, status: number, payload: Buffer): void {
  if (status !== 204 && status !== 304) res.setHeader('content-length', payload.length);
}

function drip(res: Response, everyMs: number): void {
  res.write(' ');
  const timer = setInterval(() => res.write(' '), everyMs);
  res.once('close', () => clearInterval(timer));
}

/** Spaces before the JSON of the reply: a valid body, for a caller that reads it to its end. */
function flood(res: Response, { payload }: WireReply): void {
  const block = Buffer.alloc(65_536, ' ');
  let left = HUGE_BYTES;
  const more = (): void => {
    while (left > 0 && !res.destroyed) {
      left -= block.length;
      if (!res.write(block)) return void res.once('drain', more);
    }
    if (!res.destroyed) res.end(payload);
  };
  more();
}
