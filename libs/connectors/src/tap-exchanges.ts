import type { HttpClient, HttpReply, HttpRequest } from './http-client';

/**
 * One exchange with a provider, for who records them. It has no request headers but the forwarded ones, and no form: those
 * carry the credentials.
 */
export interface TappedExchange extends Pick<HttpRequest, 'method' | 'body' | 'forwarded'> {
  /** Whole, with the prefix of the origin that the request named. */
  readonly path: string;
  /** Absent: none came, or nothing was sent. */
  readonly reply?: HttpReply;
}

/** The same client, which shows each exchange once it is over. */
export function tapped(client: HttpClient, tap: (exchange: TappedExchange) => void): HttpClient {
  return {
    async send(request) {
      const outcome = await client.send(request);
      const { method, path, body, origin, forwarded } = request;
      tap({
        method,
        path: prefixOf(origin) + path,
        ...(body !== undefined && { body }),
        ...(forwarded && { forwarded }),
        ...(outcome.kind === 'reply' && { reply: outcome.reply }),
      });
      return outcome;
    },
    close: () => client.close(),
  };
}

function prefixOf(origin: string | undefined): string {
  return origin === undefined ? '' : (URL.parse(origin)?.pathname ?? '').replace(/\/+$/, '');
}
