import type { Reply as RawReply } from '@sluice/client';

/** A reply, or that none came: then nobody knows whether the request was accepted. */
export type Answer<T = never> = Reply<T> | { readonly kind: 'refused' | 'lost' };

export interface Reply<T = never> {
  readonly kind: 'reply';
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface Request {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A service bounds each of its steps itself, so only one that hangs takes as long. */
const hangsMs = 120_000;

/** One HTTP exchange with JSON. `refused`: no connection, nothing was sent. `lost`: sent, and no reply. */
export async function exchange(
  url: string,
  { method = 'POST', key, headers = {}, body }: Request = {},
): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers, ...(key === undefined ? {} : { 'x-api-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(hangsMs),
    });
    const text = await reply.text();
    const parsed = (text === '' ? undefined : JSON.parse(text)) as never;
    return { kind: 'reply', status: reply.status, headers: reply.headers, body: parsed };
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
    return { kind: code === 'ECONNREFUSED' ? 'refused' : 'lost' };
  }
}

/** What the client gives for a raw call, in the form of `ask`. */
export function replyOf<T>({ status, headers, body }: RawReply): Reply<T> {
  return { kind: 'reply', status, headers, body: body as T };
}

/** A reply, whatever its status. That none came fails the test. */
export async function ask<T>(url: string, request: Request = {}): Promise<Reply<T>> {
  const answer = await exchange(url, request);
  if (answer.kind === 'reply') return answer;
  throw new Error(`${request.method ?? 'POST'} ${url}: ${answer.kind}`);
}

/** The body of a 2xx. Anything else fails the test with what came back. */
export async function call<T>(url: string, request: Request = {}): Promise<T> {
  const { status, body } = await ask<T>(url, request);
  if (status < 300) return body;
  throw new Error(`${request.method ?? 'POST'} ${url} answered ${status} ${JSON.stringify(body)}`);
}
