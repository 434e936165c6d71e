/** A reply, or that none came: then nobody knows whether the request was accepted. */
export type Answer =
  { readonly kind: 'reply'; readonly status: number; readonly body: never } | { readonly kind: 'refused' | 'lost' };

export interface Request {
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One HTTP exchange with JSON. `refused`: no connection, nothing was sent. `lost`: sent, and no reply. */
export async function exchange(
  url: string,
  { method = 'POST', key, headers = {}, body }: Request = {},
): Promise<Answer> {
  try {
    const reply = await fetch(url, {
      method,
      headers: { ...headers, 'content-type': 'application/json', ...(key === undefined ? {} : { 'x-api-key': key }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    });
    const text = await reply.text();
    return { kind: 'reply', status: reply.status, body: (text === '' ? undefined : JSON.parse(text)) as never };
  } catch (error) {
    const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
    return { kind: code === 'ECONNREFUSED' ? 'refused' : 'lost' };
  }
}

/** The body of a 2xx. Anything else fails the test with what came back. */
export async function call<T>(url: string, request: Request = {}): Promise<T> {
  const answer = await exchange(url, request);
  if (answer.kind === 'reply' && answer.status < 300) return answer.body;
  throw new Error(`${request.method ?? 'POST'} ${url} answered ${JSON.stringify(answer)}`);
}
