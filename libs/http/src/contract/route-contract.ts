import type { RequestHandler } from 'express';
import type { ProblemCode } from '@sluice/errors';
import type { Admission, JsonSchema } from '@sluice/types';

/** One reply of an operation. Make it with `json`, `noBody`, `text` or `html`. */
export interface ReplyContract {
  readonly description: string;
  /** Absent: there is no body. */
  readonly contentType?: string;
  readonly schema?: JsonSchema;
  readonly headers?: Readonly<Record<string, HeaderContract>>;
}

export interface HeaderContract {
  readonly description: string;
  /** Whether the reply always carries it. @default false */
  readonly required?: boolean;
}

/** By status. Problems are not among them: see `problems`. */
export type Replies = Readonly<Record<number, ReplyContract>>;

/** What a route says of itself, for the OpenAPI document. */
export interface RouteDescription {
  /** Names the operation, camelCase, once per service; the method of the client. */
  readonly operationId?: string;
  /** One short sentence. */
  readonly summary?: string;
  /** More than the summary. */
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly replies?: Replies;
  /** Codes beyond those that follow from the route: its authentication, scopes, body and path. */
  readonly problems?: readonly ProblemCode[];
  /** A body that the schema takes, with what a caller usually sends. @default the least that the schema requires */
  readonly example?: object;
  /** Headers of the request that mean something here; described, not checked. */
  readonly requestHeaders?: Readonly<Record<string, JsonSchema>>;
  /** Not part of the API: a page for a browser on its way. */
  readonly isInternal?: boolean;
}

/** A route's description and its checks. */
export interface RouteContract extends RouteDescription {
  readonly scopes?: readonly Admission[];
  readonly params?: JsonSchema;
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
}

/** A route as it stands in a router. */
export interface RegisteredRoute {
  readonly method: string;
  /** Express syntax. */
  readonly path: string;
  readonly isAuthenticated: boolean;
  readonly contract: RouteContract | undefined;
}

const contracts = new WeakMap<RequestHandler, RouteContract>();

/** Lets a router find the contract of a handler. */
export function declareContract(handler: RequestHandler, contract: RouteContract): RequestHandler {
  contracts.set(handler, contract);
  return handler;
}

/** The contract among a route's handlers. */
export function contractOf(handlers: readonly RequestHandler[]): RouteContract | undefined {
  return handlers.map((handler) => contracts.get(handler)).find((contract) => contract !== undefined);
}

/** A JSON body. The description is the schema's. */
export function json(schema: JsonSchema, headers?: ReplyContract['headers']): ReplyContract {
  const description = typeof schema['description'] === 'string' ? schema['description'] : 'Done.';
  return { description, contentType: 'application/json', schema, ...(headers && { headers }) };
}

/** A JSON array, whole. */
export function jsonList(items: JsonSchema, headers?: ReplyContract['headers']): ReplyContract {
  return json({ type: 'array', description: 'All of them.', items }, headers);
}

export function noBody(description: string, headers?: ReplyContract['headers']): ReplyContract {
  return { description, ...(headers && { headers }) };
}

export function text(description: string): ReplyContract {
  return { description, contentType: 'text/plain', schema: { type: 'string', description } };
}
