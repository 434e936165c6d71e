import { STATUS_CODES } from 'node:http';
import type { InputRefusal, ReceivedCall, WireReply } from '../control/imitated-provider';

/** One admitted call, independent of how it travelled. */
export interface ApiCall extends Pick<ReceivedCall, 'query' | 'headers' | 'bodyText' | 'origin'> {
  /** Path parameters, decoded. */
  readonly params: Params;
  readonly now: Date;
  /** Inputs to refuse, by zero-based position. A single write is input 0. */
  readonly refusals: ReadonlyMap<number, InputRefusal>;
}

export type Params = Readonly<Record<string, string>>;
export type Headers = Readonly<Record<string, string>>;

/** What an undisturbed call returns. */
export interface ApiReply {
  readonly status: number;
  /** JSON; absent: an empty reply. */
  readonly body?: unknown;
  readonly headers?: Headers;
}

/** Answers one kind of call. Throws `WireError` for a refusal; changes the data only when it does not throw. */
export type Action<Call> = (call: Call) => ApiReply;

/** A call, or one input of a batch, that a provider refuses. Nothing of it is stored. */
export abstract class WireError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Headers = {},
  ) {
    super(message);
    this.name = new.target.name;
  }

  /** The error in the provider's JSON. */
  abstract body(): unknown;
}

/** Sends a status with JSON in the provider's form. */
export type JsonReply = (status: number, body: unknown, headers?: Headers) => WireReply;

/** The page of the edge in front of a provider for a status. Only its being HTML matters. */
export function edgePage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`;
  return `<html>\r\n<head><title>${title}</title></head>\r\n<body>\r\n<center><h1>${title}</h1></center>\r\n</body>\r\n</html>\r\n`;
}

/** 204 and 304: no body and no content type. */
export const emptyReply = (status: number, headers: Headers = {}): WireReply => ({ status, headers, payload: '' });

/** The reply to a call, or its refusal, with headers that go with both. */
export function replyTo(perform: () => ApiReply, json: JsonReply, headers: Headers): WireReply {
  try {
    const reply = perform();
    const all = { ...headers, ...reply.headers };
    return reply.body === undefined ? emptyReply(reply.status, all) : json(reply.status, reply.body, all);
  } catch (error) {
    if (error instanceof WireError) return json(error.status, error.body(), { ...headers, ...error.headers });
    throw error;
  }
}

export const isJson = (contentType: string): boolean => /^application\/json\b/i.test(contentType);

/** One imitated endpoint. */
export interface Endpoint<Call> {
  readonly method: string;
  /** Its addresses in segments, with `:name` for one that is a parameter. */
  readonly paths: readonly (readonly string[])[];
  /** Its name in the ledger. */
  readonly name: string;
  readonly perform: Action<Call>;
  /** Where the records that a call carries are counted for the ledger: in a list of the body or the query, or nowhere. */
  readonly carries: 'inputs' | 'records' | 'ids' | 'one' | 'none';
}

/** An endpoint at an address, with the parameters of that address. */
export interface FoundEndpoint<Call> {
  readonly endpoint: Endpoint<Call>;
  readonly params: Params;
}

/** An endpoint at each of its addresses: `METHOD path path …`. */
export function endpoint<Call>(
  spec: string,
  name: string,
  perform: Action<Call>,
  carries: Endpoint<Call>['carries'] = 'none',
): Endpoint<Call> {
  const [method = '', ...paths] = spec.split(' ');
  return { method, paths: paths.map((path) => path.split('/')), name, perform, carries };
}

/** Those at an address, whatever their method, in the order of the table. @param sent decoded segments */
export function endpointsAt<Call>(table: readonly Endpoint<Call>[], sent: readonly string[]): FoundEndpoint<Call>[] {
  const all = table.flatMap((one) => one.paths.map((path) => ({ endpoint: one, params: paramsOf(path, sent) })));
  return all.flatMap(({ params, ...found }) => (params ? [{ ...found, params }] : []));
}

/** The values of the `:names` of a template; undefined where the address is not of its form. */
export function paramsOf(template: readonly string[], sent: readonly string[]): Params | undefined {
  if (template.length !== sent.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, segment] of template.entries()) {
    const value = sent[index] ?? '';
    if (segment.startsWith(':') && value !== '') params[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return params;
}

/** @returns undefined for an invalid percent escape */
export function decodeSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
