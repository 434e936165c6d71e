import { SluiceConnectionError } from './api-error';
import type { CallOptions, OperationShape, Reply } from './operation-shape';

/** Where requests go and who they come from. */
export interface Sender {
  /** With its `/v1`. */
  readonly baseUrl: string;
  readonly headers: () => Promise<Readonly<Record<string, string>>>;
  /** Stands in every path that names no project. */
  readonly projectIdOrName: string | undefined;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal | undefined;
  readonly onWarning: ((warning: string) => void) | undefined;
}

/**
 * One exchange.
 * @throws SluiceConnectionError when no whole reply comes
 * @throws TypeError for a parameter that the operation does not have, or lacks, and for a header that cannot be sent
 */
export async function sendRequest<T>(
  sender: Sender,
  shape: OperationShape,
  params: Readonly<Record<string, unknown>>,
  options: CallOptions = {},
): Promise<Reply<T>> {
  refuseUnknown(params, parametersOf(shape), `${shape.method} ${shape.path} takes no parameter`);
  refuseUnknown(options, ['idempotencyKey', 'headers', 'signal'], 'A call takes no option');
  const { body } = params;
  const url = `${sender.baseUrl}${addressOf(shape, { ...defaultsOf(sender), ...params })}`;
  const headers = {
    ...(await sender.headers()),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    ...options.headers,
  };
  refuseUnsendable(headers);
  const signals = [sender.signal, options.signal].filter((signal) => signal !== undefined);
  const begunAt = performance.now();
  let received: Reply<T>;
  try {
    const reply = await sender.fetch(url, {
      method: shape.method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.any([...signals, AbortSignal.timeout(sender.timeoutMs)]),
    });
    const text = await reply.text();
    const tookMs = performance.now() - begunAt;
    received = { status: reply.status, headers: reply.headers, body: parse(text) as T, tookMs };
  } catch (cause) {
    const aborted = signals.find((signal) => signal.aborted);
    if (aborted) throw aborted.reason;
    throw new SluiceConnectionError(`${shape.method} ${url} was not answered: ${reasonOf(cause)}`, { cause });
  }
  const warning = received.headers.get('sluice-warning');
  if (warning !== null) sender.onWarning?.(warning);
  return received;
}

/** Fetch would refuse it too, as a request that was not answered, without saying which header. Spaces and line breaks around a value it cuts off. */
function refuseUnsendable(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    const [character] = /[^\t\r\n\x20-\x7e\x80-\xff]/.exec(value) ?? /[\r\n]/.exec(value.trim()) ?? [];
    if (character === undefined) continue;
    const remedy = 'A header takes one line of Latin-1 characters; encode others, such as with encodeURIComponent.';
    throw new TypeError(`The header ${name} has ${JSON.stringify(character)}. ${remedy}`);
  }
}

function parametersOf({ path, query, body }: OperationShape): string[] {
  const ofPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return [...ofPath, ...query, ...(body ? ['body'] : [])];
}

function defaultsOf({ projectIdOrName }: Sender): Record<string, unknown> {
  return projectIdOrName === undefined ? {} : { projectIdOrName };
}

/** Path and query. @throws TypeError for a path parameter that is missing: it would be another address */
function addressOf({ path, query }: OperationShape, params: Readonly<Record<string, unknown>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = params[name];
    // As a segment of a path these would lead to another address, and no encoding prevents it: WHATWG URL, "double-dot path segment".
    if (value === '.' || value === '..') throw new TypeError(`${name} must not be "${value}".`);
    if (typeof value === 'string' && value !== '') return encodeURIComponent(value);
    throw new TypeError(`${name} is missing: ${path} needs it.`);
  });
  const sent = new URLSearchParams();
  for (const name of query) {
    const value = params[name] as string | number | boolean | undefined;
    if (value !== undefined) sent.set(name, String(value));
  }
  return sent.size === 0 ? filled : `${filled}?${sent.toString()}`;
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** The message of fetch is "fetch failed"; the reason is in its cause. */
function reasonOf(error: unknown): string {
  const { message = 'no reason is given', cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? cause.message : message;
}

/**
 * A name that nobody reads is a mistake that would go unnoticed: `groupref` in a filter lists everybody's.
 * @param what begins the sentence: `listOperations takes no`
 * @throws TypeError
 */
export function refuseUnknown(given: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const list = known.length === 0 ? 'It takes none' : `Known: ${known.join(', ')}`;
  throw new TypeError(`${what} "${unknown}". ${list}.`);
}
