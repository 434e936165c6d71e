import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the provider. */
export interface ProviderCall<Body = unknown> {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Of `Authorization: Bearer`; empty without one. */
  readonly token: string;
  readonly atMs: number;
  /** The body as it came. */
  readonly text: string;
  /** Parsed where it was sent as JSON; else an empty object. */
  readonly body: Body;
}

/** The reply: a status with a JSON body, a cut connection, or silence. */
export type ProviderAnswer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'hang-up'
  | 'never';

export type AnswerCall<Body = unknown> = (call: ProviderCall<Body>) => ProviderAnswer | Promise<ProviderAnswer>;

/** A provider on a real socket whose replies a test scripts. The sandbox is the one that keeps records and has rules of its own. */
export interface ScriptedProvider<Body = unknown> {
  readonly url: string;
  readonly calls: ProviderCall<Body>[];
  /** Called for each request; a test may replace it. */
  answer: AnswerCall<Body>;
  readonly close: () => Promise<void>;
}

/** @param port 0 takes a free one */
export async function startScriptedProvider<Body = unknown>(
  answer: AnswerCall<Body>,
  port = 0,
): Promise<ScriptedProvider<Body>> {
  const calls: ProviderCall<Body>[] = [];
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = await readCall<Body>(req);
    calls.push(call);
    send(req, res, await provider.answer(call));
  };
  const server = createServer((req, res) => void serve(req, res));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const provider: ScriptedProvider<Body> = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return provider;
}

/** A failure in HubSpot's own shape. */
export function hubspotRefusal(
  status: number,
  more: object = {},
  headers: Readonly<Record<string, string>> = {},
): ProviderAnswer {
  return { status, body: { status: 'error', message: 'HubSpot says no.', correlationId: 'c-1', ...more }, headers };
}

/** A record as HubSpot returns it. */
export function hubspotRecord(id: string, properties: object, createdAt = '2026-11-20T12:00:00.000Z'): object {
  return { id, properties: { ...properties, hs_object_id: id }, createdAt, updatedAt: createdAt, archived: false };
}

async function readCall<Body>(req: IncomingMessage): Promise<ProviderCall<Body>> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const { method = '', url: path = '', headers } = req;
  const isJson = headers['content-type']?.startsWith('application/json') === true;
  return {
    method,
    path,
    headers,
    token: headers.authorization?.replace('Bearer ', '') ?? '',
    atMs: performance.now(),
    text,
    body: (isJson ? JSON.parse(text) : {}) as Body,
  };
}

function send(req: IncomingMessage, res: ServerResponse, answer: ProviderAnswer): void {
  if (answer === 'never') return;
  if (answer === 'hang-up') {
    req.socket.destroy();
    return;
  }
  const { status, headers, body } = answer;
  res.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  res.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
}
