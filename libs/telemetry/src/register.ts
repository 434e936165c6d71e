import type * as exporters from '@opentelemetry/exporter-trace-otlp-http';
import { createLogger } from './logger';
import type * as recorders from './sdk/otel-recorder';
import { readTraceSettings } from './sdk/settings';
import { useSpanRecorder } from './tracing/step';

/**
 * Loaded before a service: `node --require @sluice/telemetry/register`. Traces are configured by OTEL_* alone; without an endpoint
 * nothing of OpenTelemetry is loaded. The exporter reads endpoint, headers, timeout, compression and certificates by itself.
 */
function register(): void {
  const settings = readTraceSettings(process.env);
  if (settings === undefined) return;
  const logger = createLogger({ service: 'telemetry' });
  if (settings.ignored.length > 0) logger.warn({ ignored: settings.ignored }, 'telemetry.settings-ignored');
  // Required here and not above: 40 modules that a process without an endpoint does not pay for.
  const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-http') as typeof exporters;
  const { createOtelRecorder } = require('./sdk/otel-recorder') as typeof recorders;
  const { successes } = settings;
  useSpanRecorder(createOtelRecorder({ exporter: new OTLPTraceExporter(), successes, logger }));
}

register();
