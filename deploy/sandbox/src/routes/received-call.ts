import type { Request } from '@sluice/http';
import type { HubspotRoute } from './hubspot-route';

/** A HubSpot call as it arrived, its body read. */
export interface ReceivedCall {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly bodyText: string;
  readonly contentType: string;
  /** The bearer token; empty when none was sent. */
  readonly token: string;
  readonly origin: string;
}

/** Far above what a batch of 100 contacts needs; a larger body is an error of the caller. */
const BODY_BYTES_MAX = 20_000_000;

/**
 * Reads a call to its end.
 * @returns undefined when the caller left before that, or sent too much
 */
export async function receiveCall(req: Request): Promise<ReceivedCall | undefined> {
  const bodyText = await readText(req);
  if (bodyText === undefined) return undefined;
  const url = new URL(req.originalUrl, `http://${req.headers.host ?? 'localhost'}`);
  return {
    method: req.method,
    path: url.pathname,
    query: url.searchParams,
    params: Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)])),
    bodyText,
    contentType: req.headers['content-type'] ?? '',
    token: /^Bearer\s+(\S+)\s*$/i.exec(req.headers.authorization ?? '')?.[1] ?? '',
    origin: url.origin,
  };
}

/** How many records a call carries. A body that cannot be read carries none. */
export function countRecords(route: HubspotRoute | undefined, bodyText: string): number {
  if (route?.carries !== 'inputs') return route?.carries === 'one' ? 1 : 0;
  try {
    const body = JSON.parse(bodyText) as { inputs?: unknown } | null;
    return Array.isArray(body?.inputs) ? body.inputs.length : 0;
  } catch {
    return 0;
  }
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
