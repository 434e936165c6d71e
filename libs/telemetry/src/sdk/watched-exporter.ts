import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from '../logger';

type Told = Parameters<SpanExporter['export']>[1];
type Result = Parameters<Told>[0];
/** Of the SDK's `ExportResultCode`. */
const success = 0;

/** Spans the batch processor holds at most, as it is told; what comes beyond is dropped and counted here. */
export interface ExportWatch extends SpanExporter {
  /** Whether there is room in the queue; if not, the span is counted as dropped. */
  hasRoom(): boolean;
}

/**
 * An exporter that says when its collector stops taking spans and when it takes them again: one log line for each change, none
 * for each batch.
 */
export function watchExporter(exporter: SpanExporter, queueMax: number, logger: Logger): ExportWatch {
  let isFailing = false;
  let queued = 0;
  let lost = 0;
  const note = (spans: number, { code, error }: Result): void => {
    // oxlint-disable-next-line no-unsafe-enum-comparison -- the enum's package is needed for nothing else
    if (code === success) {
      if (isFailing) logger.info({ spansLost: lost }, 'telemetry.export-restored');
      [isFailing, lost] = [false, 0];
      return;
    }
    lost += spans;
    if (!isFailing) logger.warn({ reason: reasonOf(error), remedy }, 'telemetry.export-failing');
    isFailing = true;
  };
  return {
    hasRoom: () => {
      const isRoom = queued < queueMax;
      if (isRoom) queued += 1;
      else lost += 1;
      return isRoom;
    },
    export: (spans: ReadableSpan[], told: Told) => {
      queued -= spans.length;
      exporter.export(spans, (result) => {
        note(spans.length, result);
        told(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  };
}

const remedy =
  'Look at the collector at OTEL_EXPORTER_OTLP_ENDPOINT. Writes go on; spans beyond the queue are dropped.';

/** A code or a class, not the text: that may hold the endpoint with its userinfo. */
function reasonOf(error: Error | undefined): string {
  if (error === undefined) return 'unknown';
  const code: unknown = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? String(code) : error.name;
}
