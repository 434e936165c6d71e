import { sampleOf, type OpenApiDocument, type OpenApiOperation } from '@sluice/http';
import { validRequests, type ValidRequest } from './valid-requests';

/** One operation with a request that is valid, to be spoiled. */
export interface Endpoint {
  readonly name: string;
  readonly method: string;
  readonly origin: string;
  /** Path template of the document. */
  readonly template: string;
  /** Percent-encoded segments. */
  readonly segments: readonly string[];
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** What the replies are judged by. */
  readonly document: OpenApiDocument;
}

/** Where the system under test is, and what stands in it. */
export interface Target {
  /** Origin and document of each API. */
  readonly apis: readonly { readonly origin: string; readonly document: OpenApiDocument }[];
  readonly projectId: string;
  readonly integrationId: string;
  readonly installationId: string;
  readonly connectionId: string;
  readonly operationId: string;
  readonly groupRef: string;
  readonly words: Words;
}

/** What a provider calls the object and the fields that are written. */
export interface Words {
  readonly provider: string;
  readonly people: string;
  readonly email: string;
  readonly lastname: string;
  /** Has the form of an id, and belongs to no record. */
  readonly absentId: string;
}

/** An id of the form that we give, of nothing that is there. */
const absentId = '01a1fb19-0000-7000-8000-000000000000';

/** Every operation of every document, each with at least one valid request: a new route is among them by itself. */
export function endpointsOf(target: Target): Endpoint[] {
  const given = validRequests(target);
  return target.apis.flatMap(({ origin, document }) =>
    Object.entries(document.paths).flatMap(([template, item]) =>
      Object.entries(item).flatMap(([method, operation]) => {
        const base = { name: operation.operationId, method: method.toUpperCase(), origin, template, document };
        const requests = given[operation.operationId] ?? [sampleRequest(operation, document)];
        return requests.map((request) => ({
          ...base,
          ...request,
          segments: segmentsOf(base, target),
        }));
      }),
    ),
  );
}

/** The least that the document says is needed. */
function sampleRequest({ parameters = [], requestBody }: OpenApiOperation, document: OpenApiDocument): ValidRequest {
  const { schemas } = document.components;
  const required = parameters.filter(({ in: where, required: isRequired }) => where === 'query' && isRequired);
  const schema = requestBody?.content['application/json']?.schema;
  return {
    query: Object.fromEntries(required.map(({ name, schema: of }) => [name, String(sampleOf(of, schemas, name))])),
    ...(schema === undefined ? {} : { body: sampleOf(schema, schemas) as object }),
  };
}

/** The target's own ids, except where a valid request would take away what the others need. */
function segmentsOf({ method, template }: Pick<Endpoint, 'method' | 'template'>, target: Target): string[] {
  const { projectId, integrationId, installationId, connectionId, operationId, words } = target;
  const ids: Readonly<Record<string, string>> = {
    projectIdOrName: projectId,
    integrationId,
    installationId,
    connectionId,
    operationId,
    objectName: words.people,
    provider: words.provider,
  };
  const last = [...template.matchAll(/\{(\w+)\}/g)].at(-1)?.[1];
  const valueOf = (name: string) => (method === 'DELETE' && name === last ? absentId : (ids[name] ?? absentId));
  const path = template.replace(/\{(\w+)\}/g, (_match, name: string) => valueOf(name));
  return ['v1', ...path.slice(1).split('/')];
}
