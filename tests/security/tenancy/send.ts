import { pathOf, type Row } from './row';
import type { Ids, World } from './world';

export interface RawReply {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Sends the request of a row with these ids and headers. */
export async function send(world: World, row: Row, ids: Ids, credentials: object): Promise<RawReply> {
  const { body, query } = row.request;
  const [method = ''] = row.endpoint.split(' ');
  const url = `${baseOf(world, row)}${pathOf(row, ids)}?${new URLSearchParams(query?.(ids)).toString()}`;
  const reply = await fetch(url, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...credentials },
    redirect: 'manual',
    signal: AbortSignal.timeout(120_000),
    ...(body && { body: JSON.stringify(body(ids, world)) }),
  });
  const contentType = reply.headers.get('content-type') ?? undefined;
  return { status: reply.status, contentType, text: await reply.text() };
}

function baseOf({ stack }: World, { service }: Row): string {
  if (service === 'search') return stack.searchUrl;
  return service === 'write-gateway' ? stack.writeUrl : stack.baseUrl;
}

/** What may differ between the answers to two names: the request's own marks, and the name itself. */
export function comparable({ status, text }: Pick<RawReply, 'status' | 'text'>, name: string): string {
  const marks = /"(requestId|instance|time)":"[^"]*"/g;
  return `${status} ${text.replaceAll(marks, '"$1":""').replaceAll(name, '<name>')}`;
}
