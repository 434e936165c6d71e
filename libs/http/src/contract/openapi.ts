import type { JsonSchema } from '@sluice/types';

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
  /** Who passes: keys with one of these scopes, `admin` (the bootstrap key), `token` (a bearer token of the group). Ours. */
  readonly 'x-scopes'?: readonly string[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: true;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema; readonly example?: object }>>;
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
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  /** Every `code` that a problem of this status may have. Ours. */
  readonly 'x-problem-codes'?: readonly string[];
}

/** Source: RFC 9457. */
export const problemType = 'application/problem+json';

/** What a service says of its API as a whole. */
export interface ApiInfo {
  readonly title: string;
  /** Paragraphs of plain text. */
  readonly description: string;
  /** In the order of the page. */
  readonly tags: readonly ApiTag[];
}
