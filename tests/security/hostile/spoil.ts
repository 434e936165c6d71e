import * as fc from 'fast-check';
import type { Endpoint } from './endpoints';
import { nastyText, nastyValue, rawBody } from './values';

/** A request as it goes over the wire. */
export interface HostileRequest {
  readonly endpoint: Endpoint;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** One way in which a valid request is spoiled. `at` chooses among the positions there are. */
type Spoiling =
  | { readonly kind: 'set'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'add'; readonly at: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'header'; readonly name: string; readonly value: string }
  | { readonly kind: 'query'; readonly name: string; readonly value: string }
  | { readonly kind: 'segment'; readonly at: number; readonly text: string }
  | { readonly kind: 'method'; readonly method: string };

/** Header names that mean something to us, and some that must not. */
const headerNames = [
  'content-type',
  'content-encoding',
  'accept',
  'accept-encoding',
  'x-api-key',
  'authorization',
  'idempotency-key',
  'sluice-record-ref',
  'x-sluice-request-type',
  'x-request-id',
  'traceparent',
  'x-http-method-override',
  'expect',
  'range',
  'if-match',
];
const queryNames = [
  'groupRef',
  'dryRun',
  'waitSeconds',
  'pageSize',
  'pageToken',
  'ref',
  'skipSampling',
  '__proto__',
  'a[b]',
];
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND'];
/** What a client can put into a header at all: the transport refuses the rest before it leaves. */
const headerValue = fc.oneof(
  fc.constantFrom('text/plain', 'application/json; charset=utf-16', 'gzip', '*/*', 'Bearer x', 'true', '-1', '{}'),
  nastyText.map((text) => text.replace(/[^\x20-\x7e\x80-\xff]/g, '').trim()),
);
/** Never empty: that would be the address of a list. */
const rawSegment = fc.constantFrom('%00', '%zz', '%ff', '..', '.', '%2e%2e', '%2f', 'a%0d%0ab', ':batch', '*', '~');

const spoiling: fc.Arbitrary<Spoiling> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('set' as const), at: fc.nat(), value: nastyValue }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('add' as const), at: fc.nat(), name: nastyText, value: nastyValue }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('drop' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('body' as const), text: rawBody }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('header' as const),
      name: fc.constantFrom(...headerNames),
      value: headerValue,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('query' as const),
      name: fc.oneof(fc.constantFrom(...queryNames), nastyText),
      value: nastyText,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('segment' as const),
      at: fc.nat(),
      text: fc.oneof(
        rawSegment,
        nastyText.map((text) => encode(text) || '%20'),
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('method' as const), method: fc.constantFrom(...methods) }) },
);

/** A request of any endpoint, spoiled in up to three ways; some are left as they are. */
export function hostileRequest(endpoints: readonly Endpoint[], key: string): fc.Arbitrary<HostileRequest> {
  return fc
    .tuple(fc.constantFrom(...endpoints), fc.array(spoiling, { maxLength: 3 }))
    .map(([endpoint, spoilings]) => spoil(endpoint, spoilings, key));
}

function spoil(endpoint: Endpoint, spoilings: readonly Spoiling[], key: string): HostileRequest {
  const body = structuredClone(endpoint.body) as Json | undefined;
  const segments = [...endpoint.segments];
  const query = Object.entries(endpoint.query ?? {}).map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const headers: Record<string, string> = { 'x-api-key': key, 'content-type': 'application/json' };
  let { method } = endpoint;
  let text: string | undefined;
  for (const each of spoilings) {
    if (each.kind === 'header') headers[each.name] = each.value;
    else if (each.kind === 'query') query.push(`${encode(each.name)}=${encode(each.value)}`);
    else if (each.kind === 'segment') segments[1 + (each.at % (segments.length - 1))] = each.text;
    else if (each.kind === 'method') method = deletes(endpoint, each.method) ? method : each.method;
    else if (each.kind === 'body') text = each.text;
    else if (body !== undefined) change(body, each);
  }
  const path = `/${segments.join('/')}${query.length === 0 ? '' : `?${query.join('&')}`}`;
  const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
  return { endpoint, method, path, headers, body: sent };
}

/** A deletion that would succeed takes away what the other requests need; its own endpoint names what is not there. */
function deletes({ document, template }: Endpoint, method: string): boolean {
  return method === 'DELETE' && document.paths[template]?.['delete'] !== undefined;
}

type Json = Record<string | number, unknown>;

/** Changes one value of a body, or adds a member to one of its objects. */
function change(body: Json, how: Extract<Spoiling, { kind: 'set' | 'add' | 'drop' }>): void {
  const members = [...membersOf(body)];
  const member = members[how.at % members.length];
  if (member === undefined) return;
  const { parent, name } = member;
  if (how.kind === 'drop') delete parent[name];
  else if (how.kind === 'set') define(parent, name, how.value);
  else define(parent, Array.isArray(parent) ? parent.length : how.name, how.value);
}

function define(parent: Json, name: string | number, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}

function* membersOf(parent: Json): Generator<{ readonly parent: Json; readonly name: string }> {
  for (const [name, value] of Object.entries(parent)) {
    yield { parent, name };
    if (typeof value === 'object' && value !== null) yield* membersOf(value as Json);
  }
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
