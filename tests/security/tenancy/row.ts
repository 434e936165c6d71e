import { columns, type Column } from './callers';
import type { Ids, World } from './world';

export type Service = 'management' | 'search' | 'write-gateway';

/** One endpoint, with a request that succeeds for whoever may send it. */
export interface Row {
  readonly service: Service;
  /** As in the OpenAPI document: `GET /projects/{projectIdOrName}`. */
  readonly endpoint: string;
  /** Status by caller. */
  readonly expected: Readonly<Record<Column, number>>;
  readonly request: RowRequest;
}

export interface RowRequest {
  readonly body?: (ids: Ids, world: World) => object;
  readonly query?: (ids: Ids) => Readonly<Record<string, string>>;
  /** What the request uses up, made anew for each caller. */
  readonly fresh?: (world: World) => Promise<Partial<Ids>>;
}

/** @param statuses in the order of `columns`, between spaces */
export function row(service: Service, endpoint: string, statuses: string, request: RowRequest = {}): Row {
  const numbers = statuses.split(' ').map(Number);
  if (numbers.length !== columns.length) throw new Error(`${endpoint}: ${columns.length} statuses are needed`);
  const expected = Object.fromEntries(columns.map((column, at) => [column, numbers[at]])) as Row['expected'];
  return { service, endpoint, expected, request };
}

/** Parameters of a path. */
export function parametersOf({ endpoint }: Row): (keyof Ids)[] {
  return [...endpoint.matchAll(/\{(\w+)\}/g)].map(([, name]) => idNamed(endpoint, name ?? ''));
}

/** Two kinds of keys have ids of the same name. */
function idNamed(endpoint: string, name: string): keyof Ids {
  if (name !== 'keyId') return name as keyof Ids;
  return endpoint.includes('/jwt-keys/') ? 'jwtKeyId' : 'apiKeyId';
}

/** The path with these ids in it, after the base URL. */
export function pathOf({ endpoint }: Row, ids: Ids): string {
  const [, template = ''] = endpoint.split(' ');
  return template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(ids[idNamed(endpoint, name)]));
}
