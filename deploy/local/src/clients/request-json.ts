import { DependencyError } from '@sluice/errors';

/** What came back over HTTP. */
export interface Reply<T = unknown> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed; undefined when there was none. Of this type only when the status is the expected one. */
  readonly body: T;
  /** From sending to the last byte. */
  readonly tookMs: number;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** Longer than any reply of ours: a provider call has 30 s. */
const timeoutMs = 45_000;

/** @throws DependencyError when nobody answers */
export async function requestJson<T>(request: JsonRequest): Promise<Reply<T>> {
  const { method, url, headers, body, signal } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const begunAt = performance.now();
  try {
    const reply = await fetch(url, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    const text = await reply.text();
    const tookMs = performance.now() - begunAt;
    return { status: reply.status, headers: reply.headers, body: parse(text) as T, tookMs };
  } catch (cause) {
    if (signal?.aborted) throw signal.reason;
    const detail = `${method} ${url} was not answered: ${reasonOf(cause)}`;
    throw new DependencyError({ code: 'service.unavailable', detail, cause });
  }
}

/**
 * The body of a reply with this status.
 * @throws DependencyError that shows what came instead
 */
export function bodyOf<T>(reply: Reply<T>, status: number, what: string): T {
  if (reply.status === status) return reply.body;
  const detail = `${what} was answered with ${reply.status}: ${describeBody(reply.body)}`;
  throw new DependencyError({ code: 'service.unavailable', detail });
}

/** The sentence in a problem document or an error body, else the body itself, shortened. */
export function describeBody(body: unknown): string {
  const { detail, errors } = (body ?? {}) as { detail?: string; errors?: { message?: string }[] };
  return detail ?? errors?.[0]?.message ?? JSON.stringify(body)?.slice(0, 300) ?? 'without a body';
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}

/** fetch says "fetch failed"; why stands in its cause. */
function reasonOf(error: unknown): string {
  const { message = 'no reason is given', cause } = error as { message?: string; cause?: { message?: string } };
  return cause?.message ? cause.message : message;
}
