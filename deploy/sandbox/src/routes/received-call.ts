import type { Request } from '@sluice/http';
import type { ReceivedCall } from '../control/imitated-provider';

/** Far above what a batch of 100 records needs; a larger body is an error of the caller. */
const BODY_BYTES_MAX = 20_000_000;

/**
 * Reads a call to its end.
 * @returns undefined when the caller left before that, or sent too much
 */
export async function receiveCall(req: Request): Promise<ReceivedCall | undefined> {
  const bodyText = await readText(req);
  if (bodyText === undefined) return undefined;
  const url = new URL(req.originalUrl, `http://${req.headers.host ?? 'localhost'}`);
  const headers = Object.entries(req.headers).map(([name, value]): [string, string] => [
    name,
    Array.isArray(value) ? value.join(', ') : (value ?? ''),
  ]);
  return {
    method: req.method,
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(headers),
    bodyText,
    contentType: req.headers['content-type'] ?? '',
    origin: url.origin,
  };
}

async function readText(req: Request): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of req as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > BODY_BYTES_MAX) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}
