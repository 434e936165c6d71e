import type { Span } from './read-spans';

const operation = 'sluice.operation.id';
/** Said by the head of the story, or by the span's name. */
const unsaid = new Set([operation, 'sluice.project.id', 'http.request.method', 'http.route']);
/** Columns in front of a name. */
const serviceWidth = 14;

/**
 * What became of one operation, as text: every trace that names it, each as a tree, in the order of time. The first one is that of
 * the work; the accepts of further records of a batch are traces of their own, which the work links to.
 */
export function tellStory(spans: readonly Span[], operationId: string): string {
  const named = new Set(spans.filter(({ attributes }) => attributes[operation] === operationId).map((s) => s.traceId));
  const told = unique(spans.filter(({ traceId }) => named.has(traceId)));
  if (told.length === 0) return `There is no span of the operation ${operationId}.\n`;
  const startedAtMs = Math.min(...told.map((span) => span.startedAtMs));
  const traces = [...Map.groupBy(told, ({ traceId }) => traceId).values()].toSorted((a, b) => b.length - a.length);
  const services = new Set(told.map(({ service }) => service));
  const head = `operation ${operationId}: ${told.length} spans, ${traces.length} traces, ${services.size} services`;
  return [head, ...traces.flatMap((trace) => tellTrace(trace, startedAtMs))].join('\n') + '\n';
}

function tellTrace(spans: readonly Span[], startedAtMs: number): string[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const first = spans.filter(({ parentSpanId }) => !known.has(parentSpanId));
  return [
    '',
    `trace ${spans[0]?.traceId}`,
    ...inOrder(first).flatMap((span) => tellSpan(span, spans, { startedAtMs, depth: 0 })),
  ];
}

function tellSpan(span: Span, all: readonly Span[], at: { startedAtMs: number; depth: number }): string[] {
  const since = `+${((span.startedAtMs - at.startedAtMs) / 1_000).toFixed(3)} s`.padStart(11);
  const took = `${(span.endedAtMs - span.startedAtMs).toFixed(1)} ms`.padStart(10);
  const name = `${'  '.repeat(at.depth)}${span.name}`;
  const line = `${since} ${took}  ${span.service.padEnd(serviceWidth)} ${name}${factsOf(span)}`;
  const inside = inOrder(all.filter(({ parentSpanId }) => parentSpanId === span.spanId));
  return [line, ...inside.flatMap((each) => tellSpan(each, all, { ...at, depth: at.depth + 1 }))];
}

function factsOf({ attributes, links, isFailed }: Span): string {
  const facts = Object.entries(attributes).filter(([name]) => !unsaid.has(name));
  const said = facts.map(([name, value]) => `${name.replace(/^sluice\./, '')}=${value}`);
  const more = links.length === 0 ? [] : [`links to ${links.length} accept${links.length === 1 ? '' : 's'}`];
  const all = [...(isFailed ? ['FAILED'] : []), ...said, ...more];
  return all.length === 0 ? '' : `  [${all.join(', ')}]`;
}

function inOrder(spans: readonly Span[]): Span[] {
  return spans.toSorted((a, b) => a.startedAtMs - b.startedAtMs);
}

/** An accept may be told more than once: by who kept it, and by who came back to it. */
function unique(spans: readonly Span[]): Span[] {
  return [...new Map(spans.toReversed().map((span) => [`${span.traceId}/${span.spanId}`, span])).values()];
}
