import { buildOperation } from './build-operation';
import { Components } from './components';
import type { ApiInfo, OpenApiDocument, OpenApiOperation } from './openapi';
import type { RegisteredRoute } from './route-contract';

/** Of the API, not of the program. Source: specification, Versioning. */
const version = '1.0.0';
/** All paths of the API begin with it; it is part of the base URL. */
const basePath = '/v1';

const securitySchemes = {
  apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key', description: 'An API key of the project.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'The same key, or a signed token of the project.' },
};

/** A document, and what it could not say. */
export interface BuiltDocument {
  readonly document: OpenApiDocument;
  /** Path template of the document by `METHOD express-path`. */
  readonly paths: ReadonlyMap<string, string>;
  /** Routes without operationId, summary, tags or replies: they are not in the document. */
  readonly undeclared: readonly string[];
}

/** The OpenAPI document of what is registered. */
export function buildDocument(api: ApiInfo, routes: readonly RegisteredRoute[]): BuiltDocument {
  const components = new Components();
  const written: Record<string, Record<string, OpenApiOperation>> = {};
  const paths = new Map<string, string>();
  const undeclared: string[] = [];
  for (const route of routes) {
    if (route.contract?.isInternal === true) continue;
    const operation = buildOperation(route, components);
    const path = documentPath(route.path);
    if (operation === undefined) undeclared.push(`${route.method.toUpperCase()} ${path}`);
    else {
      (written[path] ??= {})[route.method] = operation;
      paths.set(`${route.method} ${route.path.replaceAll('\\', '')}`, path);
    }
  }
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info: { title: api.title, version, description: api.description },
    servers: [{ url: basePath }],
    tags: api.tags,
    paths: written,
    components: { schemas: components.schemas, securitySchemes },
  };
  return { document, paths, undeclared };
}

/** `/v1/projects/:id/connections\\:generate` is `/projects/{id}/connections:generate`. */
function documentPath(path: string): string {
  const named = path.replace(/(\\)?:(\w+)/g, (_match, escaped, name: string) => (escaped ? `:${name}` : `{${name}}`));
  return named.startsWith(`${basePath}/`) ? named.slice(basePath.length) : named;
}
