import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How the collector answers: as it should, with an error, or not at all. */
type Mood = 'takes' | 'refuses' | 'hangs';

/** A small OTLP/HTTP receiver: decodes what it is sent, and can be ill. */
export interface Collector {
  readonly url: string;
  readonly port: number;
  /** What it took so far. */
  spans(): Span[];
  /** Every byte it was ever sent, also what it refused. */
  everything(): string;
  /** Requests it got so far. */
  requests(): number;
  become(mood: Mood): void;
  close(): Promise<void>;
}

export async function startCollector(port = 0): Promise<Collector> {
  const bodies: string[] = [];
  const taken: Span[] = [];
  let mood: Mood = 'takes';
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await read(req);
    bodies.push(body);
    if (mood === 'hangs') return;
    if (mood === 'takes' && req.url === '/v1/traces') taken.push(...readSpans(JSON.parse(body) as SentSpans));
    res.statusCode = mood === 'takes' ? 200 : 500;
    res.setHeader('Content-Type', 'application/json').end('{}');
  };
  const server = createServer((req, res) => void answer(req, res).catch(() => res.destroy()));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    port: address.port,
    spans: () => [...taken],
    everything: () => bodies.join('\n'),
    requests: () => bodies.length,
    become: (next) => (mood = next),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function read(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** One span of OTLP/JSON. */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the first of its trace. */
  readonly parentSpanId: string;
  readonly service: string;
  readonly name: string;
  /** Milliseconds since 1970. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly links: readonly Pick<Span, 'traceId' | 'spanId'>[];
  readonly isFailed: boolean;
}

interface Pair {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: string | number; readonly boolValue?: boolean };
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly Pair[];
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status?: { readonly code?: number };
}

/** The body of an OTLP/HTTP export, and a line of what a collector's file exporter writes. Source: OTLP 1.5, JSON encoding. */
interface SentSpans {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Pair[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly SentSpan[] }[];
  }[];
}

const failed = 2;

/** The spans of one export. */
function readSpans({ resourceSpans = [] }: SentSpans): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(toRecord(resource?.attributes)['service.name'] ?? 'unknown');
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => toSpan(span, service)));
  });
}

function toSpan(span: SentSpan, service: string): Span {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    service,
    name: span.name,
    startedAtMs: toMs(span.startTimeUnixNano),
    endedAtMs: toMs(span.endTimeUnixNano),
    attributes: toRecord(span.attributes),
    links: (span.links ?? []).map(({ traceId, spanId }) => ({ traceId, spanId })),
    isFailed: span.status?.code === failed,
  };
}

/** Nanoseconds since 1970 are more than a number holds; microseconds are not. */
function toMs(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1_000n) / 1_000;
}

function toRecord(pairs: readonly Pair[] = []): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map(({ key, value: { stringValue, intValue, boolValue } }) => {
      return [key, intValue === undefined ? (stringValue ?? boolValue ?? '') : Number(intValue)];
    }),
  );
}
