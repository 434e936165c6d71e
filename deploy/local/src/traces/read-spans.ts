/** One span as OTLP/JSON says it, without what a story does not need. */
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
export interface SentSpans {
  readonly resourceSpans?: readonly {
    readonly resource?: { readonly attributes?: readonly Pair[] };
    readonly scopeSpans?: readonly { readonly spans?: readonly SentSpan[] }[];
  }[];
}

const failed = 2;

/** The spans of one export. */
export function readSpans({ resourceSpans = [] }: SentSpans): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans = [] }) => {
    const service = String(toRecord(resource?.attributes)['service.name'] ?? 'unknown');
    return scopeSpans.flatMap(({ spans = [] }) => spans.map((span) => toSpan(span, service)));
  });
}

/** The spans of a file of exports, one JSON document per line. @throws SyntaxError for a line that is none */
export function readSpanFile(text: string): Span[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.flatMap((line) => readSpans(JSON.parse(line) as SentSpans));
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
