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

/** A body of a request or a reply as it is shown. */
export interface Example {
  /** What is particular about it, in a few words. */
  readonly summary: string;
  readonly value: unknown;
}

/** By a name that is unique among the examples of its body. */
export type Examples = Readonly<Record<string, Example>>;

/** What a route declares for the OpenAPI document. */
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
  /** Several bodies that the schema takes. @default one that is sampled from it */
  readonly examples?: Examples;
  /** Headers of the request that mean something here; described, not checked. */
  readonly requestHeaders?: Readonly<Record<string, JsonSchema>>;
  /** Not part of the API: a page for a browser on its way. */
  readonly isInternal?: boolean;
}

/** A route's description and its checks. */
export interface RouteContract extends RouteDescription {
  readonly scopes?: readonly Admission[];
  readonly query?: JsonSchema;
  readonly body?: JsonSchema;
}

/** A route of a router. */
export interface RegisteredRoute {
  readonly method: string;
  /** Express syntax. */
  readonly path: string;
  readonly isAuthenticated: boolean;
  readonly contract: RouteContract | undefined;
}

/** A handler with its contract; one without is not in the OpenAPI document. */
export type RouteHandler = RequestHandler & { readonly contract?: RouteContract };

export function withContract(handler: RequestHandler, contract: RouteContract): RouteHandler {
  return Object.assign(handler, { contract });
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

export function text(description: string, example: string): ReplyContract {
  return { description, contentType: 'text/plain', schema: { type: 'string', description, examples: [example] } };
}

/** The parts of OpenAPI 3.1 that our documents use. Source: https://spec.openapis.org/oas/v3.1.1.html */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly ApiTag[];
  /** Path template to method to operation. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    /** A problem document of each code that an operation of the document may answer with. */
    readonly examples: Examples;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}

export interface ApiTag {
  readonly name: string;
  readonly description: string;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly string[];
  /** Empty: no key is needed. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  /** Who passes: keys with one of these scopes, `admin` (the bootstrap key), `token` (a bearer token of the group). Our extension. */
  readonly 'x-scopes'?: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, OpenApiContent>>;
  };
  /** By status. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
  readonly example?: string;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly headers?: Readonly<
    Record<string, { readonly description: string; readonly required?: boolean; readonly schema: JsonSchema }>
  >;
  readonly content?: Readonly<Record<string, OpenApiContent>>;
  /** Every `code` that a problem of this status may have. Our extension. */
  readonly 'x-problem-codes'?: readonly string[];
}

export interface OpenApiContent {
  readonly schema: JsonSchema;
  readonly example?: unknown;
  /** Problem documents are among the components: `$ref`. */
  readonly examples?: Readonly<Record<string, Example | { readonly $ref: string }>>;
}

/** Source: RFC 9457. */
export const problemType = 'application/problem+json';

/** What a service declares about its API as a whole. */
export interface ApiInfo {
  readonly title: string;
  /** Paragraphs of plain text. */
  readonly description: string;
  /** In the order of the page. */
  readonly tags: readonly ApiTag[];
}

/** A document, and what it could not say. */
export interface BuiltDocument {
  readonly document: OpenApiDocument;
  /** Routes without operationId, summary, tags or replies: they are not in the document. */
  readonly undeclared: readonly string[];
}
