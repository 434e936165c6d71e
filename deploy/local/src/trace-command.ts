import { readFileSync } from 'node:fs';
import { readProcessEnv } from '@sluice/config';
import { DependencyError } from '@sluice/errors';
import { readLocalSettings } from '@sluice/stack';
import { traceFileOf } from './observe/keep-traces';

const usage = `npm run trace -- [file] <operation id>
  file          what a collector's file exporter wrote: OTLP as JSON, one export per line; else what npm start -- --observe kept
  operation id  what the write answered
`;

/** `npm run trace -- [file] <operation id>`: prints what became of an operation. @returns the exit code */
export async function run(args: readonly string[]): Promise<number> {
  const operationId = args.at(-1);
  if (operationId === undefined || args.length > 2) {
    process.stderr.write(usage);
    return 2;
  }
  const [file] = args.length === 2 ? args : [traceFileOf(readLocalSettings(readProcessEnv()).dataDir)];
  process.stdout.write(renderOperationTraces(spansOf(file), operationId));
  return 0;
}

function spansOf(file = ''): Span[] {
  try {
    return readSpanFile(readFileSync(file, 'utf8'));
  } catch (cause) {
    const detail = `${file} cannot be read as spans: ${cause instanceof Error ? cause.message : String(cause)}`;
    const remedy =
      "It is to hold what a collector's file exporter wrote: OTLP as JSON, one export per line. npm start -- --observe keeps one.";
    throw new DependencyError({ code: 'service.unavailable', detail, remedy, cause });
  }
}

/** One span of OTLP/JSON, reduced to what is printed. */
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
function readSpanFile(text: string): Span[] {
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

const operation = 'sluice.operation.id';
/** Shown in the heading, or in the span's name. */
const shownElsewhere = new Set([operation, 'sluice.project.id', 'http.request.method', 'http.route']);
/** Columns in front of a name. */
const serviceWidth = 14;

/**
 * What became of one operation, as text: every trace that names it, each as a tree, in the order of time. The first one is that of
 * the work; the accepts of further records of a batch are traces of their own, which the work links to.
 */
export function renderOperationTraces(spans: readonly Span[], operationId: string): string {
  const named = new Set(spans.filter(({ attributes }) => attributes[operation] === operationId).map((s) => s.traceId));
  const own = unique(spans.filter(({ traceId }) => named.has(traceId)));
  if (own.length === 0) return `There is no span of the operation ${operationId}.\n`;
  const startedAtMs = Math.min(...own.map((span) => span.startedAtMs));
  const traces = [...Map.groupBy(own, ({ traceId }) => traceId).values()].toSorted((a, b) => b.length - a.length);
  const services = new Set(own.map(({ service }) => service));
  const head = `operation ${operationId}: ${own.length} spans, ${traces.length} traces, ${services.size} services`;
  return [head, ...traces.flatMap((trace) => renderTrace(trace, startedAtMs))].join('\n') + '\n';
}

function renderTrace(spans: readonly Span[], startedAtMs: number): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const first = spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
  return [
    '',
    `trace ${spans[0]?.traceId}`,
    ...inOrder(first).flatMap((span) => renderSpan(span, spans, { startedAtMs, depth: 0 })),
  ];
}

function renderSpan(span: Span, all: readonly Span[], at: { startedAtMs: number; depth: number }): string[] {
  const since = `+${((span.startedAtMs - at.startedAtMs) / 1_000).toFixed(3)} s`.padStart(11);
  const took = `${(span.endedAtMs - span.startedAtMs).toFixed(1)} ms`.padStart(10);
  const name = `${'  '.repeat(at.depth)}${span.name}`;
  const line = `${since} ${took}  ${span.service.padEnd(serviceWidth)} ${name}${factsOf(span)}`;
  const inside = inOrder(all.filter(({ parentSpanId }) => parentSpanId === span.spanId));
  return [line, ...inside.flatMap((each) => renderSpan(each, all, { ...at, depth: at.depth + 1 }))];
}

function factsOf({ attributes, links, isFailed }: Span): string {
  const facts = Object.entries(attributes).filter(([name]) => !shownElsewhere.has(name));
  const shown = facts.map(([name, value]) => `${name.replace(/^sluice\./, '')}=${value}`);
  const more = links.length === 0 ? [] : [`links to ${links.length} accept${links.length === 1 ? '' : 's'}`];
  const all = [...(isFailed ? ['FAILED'] : []), ...shown, ...more];
  return all.length === 0 ? '' : `  [${all.join(', ')}]`;
}

function inOrder(spans: readonly Span[]): Span[] {
  return spans.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

/** Several services may send the span of one accept: the one that kept it, and one that came back to it. */
function unique(spans: readonly Span[]): Span[] {
  return [...new Map(spans.toReversed().map((span) => [`${span.traceId}/${span.spanId}`, span])).values()];
}
