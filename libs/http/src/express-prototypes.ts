import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';

interface Constructors {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

/**
 * Constructors whose objects have the app's prototypes from birth. Express gives each request and reply its own prototypes,
 * and an object that changes its prototype is slow from then on; one that has it already is left as it is.
 * Plain functions, because the `prototype` of a class cannot be set.
 */
export function constructorsOf(app: Express): Constructors {
  function Request(this: IncomingMessage, socket: Socket): void {
    (IncomingMessage as unknown as (this: IncomingMessage, socket: Socket) => void).call(this, socket);
  }
  function Reply(this: ServerResponse, req: IncomingMessage, options: unknown): void {
    (ServerResponse as unknown as (this: ServerResponse, req: IncomingMessage, options: unknown) => void).call(
      this,
      req,
      options,
    );
  }
  Request.prototype = app.request;
  Reply.prototype = app.response;
  return { IncomingMessage: Request, ServerResponse: Reply } as unknown as Constructors;
}
