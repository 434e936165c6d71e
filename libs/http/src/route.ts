import type { Request, RequestHandler } from 'express';
import type { Admission, JsonSchema } from '@sluice/types';
import { stateOf } from './app-state';
import { declareContract, type RouteDescription } from './contract/route-contract';
import { readJson } from './json/read-json';
import { readQuery } from './validation/read-query';
import { checkScope, callerOf } from './require-scope';
import { RouteRequest, type CheckedParts, type RouteParts } from './route-request';
import { sendJson } from './send-json';
import { sendText } from './send-text';
import { validate } from './validation/validate';

/** What a route answers. Problems are thrown, not returned. */
export interface Reply {
  /** @default 200 */
  readonly status?: number;
  /** JSON; no content when absent. */
  readonly body?: unknown;
  /** In place of a JSON body; sent as it is. */
  readonly text?: { readonly contentType: string; readonly content: string };
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a route is called, asks and answers (the OpenAPI document is made of it), and what it does. */
export interface RouteOptions<P extends RouteParts> extends RouteDescription {
  /**
   * A key passes with one of these, or with `full`; `admin` is the bootstrap key. With `token` the handler sees to it that
   * a bearer token gets at its group only. Absent: any caller, or none.
   */
  readonly scopes?: readonly Admission[];
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  /** Absent: the body is not read. */
  readonly body?: JsonSchema;
  /** @default the app's limit */
  readonly bodyBytesMax?: number;
  readonly handle: (request: RouteRequest<P>) => Promise<Reply> | Reply;
}

/**
 * A handler that checks before it works: scope, then path and query, then the body, so that nobody without the right
 * makes us read a body. All schemas are compiled here, at start.
 */
export function route<P extends RouteParts>(o: RouteOptions<P>): RequestHandler {
  const readParts = partsReader(o);
  const handler: RequestHandler = async (req, res) => {
    if (o.scopes) checkScope(callerOf(res), o.scopes);
    const reply = await o.handle(new RouteRequest(req, res, await readParts(req)));
    for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
    if (reply.text) sendText(res, reply.status ?? 200, reply.text);
    else sendJson(res, reply.status ?? (reply.body === undefined ? 204 : 200), reply.body);
  };
  return declareContract(handler, o);
}

function partsReader<P extends RouteParts>(o: RouteOptions<P>): (req: Request) => Promise<CheckedParts<P>> {
  const params = o.params && validate<P['params']>(o.params, 'path');
  const query = o.query && validate<P['query']>(o.query, 'query');
  const body = o.body && validate<P['body']>(o.body, 'body');
  return async (req) => {
    const sentQuery = readQuery(req);
    const checked = {
      params: params ? params({ ...req.params }) : req.params,
      query: query ? query(sentQuery) : sentQuery,
    };
    if (!body) return { ...checked, body: undefined, bodyText: '', bodyBytes: 0 };
    const sent = await readJson(req, { bytesMax: o.bodyBytesMax ?? stateOf(req.app).bodyBytesMax });
    return { ...checked, body: body(sent.value), bodyText: sent.text, bodyBytes: sent.bytes };
  };
}
