import type { CallKind, ReceivedCall } from '../control/imitated-provider';
import { apiRoutes, type ApiRoute } from './api-routes';

/** What lies at an address. */
export interface RouteMatch {
  /** Absent when the address has other methods only. */
  readonly route: ApiRoute | undefined;
  readonly params: Readonly<Record<string, string>>;
  /** Methods that the address has. */
  readonly allowed: readonly string[];
}

/** `POST …?_HttpMethod=PATCH` is a PATCH for callers that cannot send one. */
export function methodOf({ method, query }: ReceivedCall): string {
  return method === 'POST' ? (query.get('_HttpMethod')?.toUpperCase() ?? method) : method;
}

/** @returns undefined for an address that Salesforce does not have */
export function matchRoute(call: ReceivedCall): RouteMatch | undefined {
  const segments = decoded(call.path);
  const found = apiRoutes.flatMap((route) => {
    const params = paramsOf(route, segments);
    return params ? [{ route, params }] : [];
  });
  const [first] = found;
  if (!first) return undefined;
  const method = methodOf(call);
  const match = found.find(({ route }) => route.method === method);
  return {
    route: match?.route,
    params: match?.params ?? first.params,
    allowed: [...new Set(found.map(({ route }) => route.method))],
  };
}

/** What a call is, for the ledger. */
export function callKind(call: ReceivedCall): CallKind {
  const route = matchRoute(call)?.route;
  const headers = chosenHeaders(call.headers);
  const noted = Object.keys(headers).length > 0 ? { headers } : {};
  return { action: route?.name ?? 'unknown', records: countRecords(route, call), ...noted };
}

/** Headers of transport, credentials and tracing: every client sends them by itself. */
const usualHeader =
  /^(accept.*|authorization|cache-control|connection|content-.*|cookie|expect|host|pragma|priority|proxy-.*|sec-.*|te|trace.*|transfer-encoding|upgrade.*|user-agent)$/;

/** What is left: `sforce-auto-assign`, `if-modified-since`, … */
function chosenHeaders(headers: ReceivedCall['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !usualHeader.test(name)));
}

function countRecords(route: ApiRoute | undefined, call: ReceivedCall): number {
  if (!route || route.carries === 'none') return 0;
  if (route.carries === 'one') return 1;
  const asked = call.query.get(route.carries);
  return asked === null ? countIn(call.bodyText, route.carries) : asked.split(',').filter(Boolean).length;
}

type Fields = Readonly<Record<string, unknown>>;

/** The records of a collection, or the one record. */
export function carriedFields({ bodyText }: ReceivedCall): readonly Fields[] {
  const records = listIn(bodyText, 'records') as readonly (Fields | null)[];
  const all = records.length > 0 ? records : [readBody(bodyText)];
  return all.map((record) => record ?? {});
}

const countIn = (bodyText: string, member: 'records' | 'ids'): number => listIn(bodyText, member).length;

/** A body that cannot be read carries none. */
function listIn(bodyText: string, member: 'records' | 'ids'): readonly unknown[] {
  const list = readBody(bodyText)?.[member];
  return Array.isArray(list) ? list : [];
}

function readBody(bodyText: string): Fields | null {
  try {
    return JSON.parse(bodyText) as Fields | null;
  } catch {
    return null;
  }
}

/** A segment that is no valid escape stands for itself: nothing has that name. */
function decoded(path: string): string[] {
  return path
    .split('/')
    .filter(Boolean)
    .map((segment) => {
      try {
        return decodeURIComponent(segment);
      } catch {
        return segment;
      }
    });
}

function paramsOf(route: ApiRoute, segments: readonly string[]): Record<string, string> | undefined {
  if (segments.length !== route.segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, wanted] of route.segments.entries()) {
    const segment = segments[index] ?? '';
    if (wanted.startsWith(':')) params[wanted.slice(1)] = segment;
    else if (wanted !== segment) return undefined;
  }
  return params;
}
