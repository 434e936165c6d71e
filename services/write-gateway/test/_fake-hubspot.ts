import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request that reached the fake. */
export interface HubspotCall {
  readonly method: string;
  readonly path: string;
  readonly token: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: HubspotBody;
}

/** The members of HubSpot's request bodies that these tests read. */
export interface HubspotBody {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly inputs?: readonly {
    readonly id?: string;
    readonly properties: Readonly<Record<string, unknown>>;
    readonly objectWriteTraceId?: string;
    /** Of an association. */
    readonly from?: { readonly id: string };
    readonly to?: { readonly id: string };
  }[];
}

/** What the fake answers: a status with a body, a cut connection, or silence. */
export type Answer =
  { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> } | 'hang-up' | 'never';

export interface FakeHubspot {
  readonly url: string;
  readonly calls: HubspotCall[];
  /** Asked for each call; set anew by a test. */
  answer: (call: HubspotCall) => Answer | Promise<Answer>;
  /** Answers as an account that takes everything. */
  takeAll(): void;
  close(): Promise<void>;
}

/** HubSpot's write endpoints, in as many lines as these tests need. @param port 0 takes a free one */
export async function startFakeHubspot(port = 0): Promise<FakeHubspot> {
  const calls: HubspotCall[] = [];
  const serve = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const call = await read(req);
    calls.push(call);
    send(req, res, await fake.answer(call));
  };
  const server = createServer((req, res) => void serve(req, res));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const accept = accepting();
  const fake: FakeHubspot = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: accept,
    takeAll: () => {
      fake.answer = accept;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

/** A failure in HubSpot's own shape. */
export function refusal(status: number, more: object = {}, headers: Record<string, string> = {}): Answer {
  return { status, body: { status: 'error', message: 'HubSpot says no.', correlationId: 'c-1', ...more }, headers };
}

/** A record as HubSpot returns it. */
export function recordOf(id: string, properties: object): object {
  const moment = '2026-11-20T12:00:00.000Z';
  return { id, properties: { ...properties, hs_object_id: id }, createdAt: moment, updatedAt: moment, archived: false };
}

async function read(req: IncomingMessage): Promise<HubspotCall> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return {
    method: req.method ?? '',
    path: req.url ?? '',
    token: req.headers.authorization?.replace('Bearer ', '') ?? '',
    headers: req.headers,
    body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as HubspotBody,
  };
}

function send(req: IncomingMessage, res: ServerResponse, answer: Answer): void {
  if (answer === 'never') return;
  if (answer === 'hang-up') {
    req.socket.destroy();
    return;
  }
  res.writeHead(answer.status, { 'Content-Type': 'application/json', ...answer.headers });
  res.end(answer.status === 204 ? undefined : JSON.stringify(answer.body));
}

function accepting(): FakeHubspot['answer'] {
  let nextId = 500;
  return ({ method, path, body }) => {
    if (path.includes('/associations/')) {
      const results = body.inputs?.map(({ from, to }) => ({
        fromObjectId: Number(from?.id),
        toObjectId: Number(to?.id),
      }));
      return { status: 201, body: { status: 'COMPLETE', results } };
    }
    if (body.inputs !== undefined) {
      const results = body.inputs.map(({ id, properties, objectWriteTraceId }) => ({
        ...recordOf(id ?? String((nextId += 1)), properties),
        objectWriteTraceId,
      }));
      return { status: path.endsWith('create') ? 201 : 200, body: { status: 'COMPLETE', results } };
    }
    if (method === 'DELETE') return { status: 204, body: undefined };
    const id = method === 'PATCH' ? (path.split('/').at(-1) ?? '') : String((nextId += 1));
    return { status: method === 'PATCH' ? 200 : 201, body: recordOf(id, body.properties ?? {}) };
  };
}
