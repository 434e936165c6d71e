/** The settings `OTEL_*` of traces, as far as the SDK does not read them itself. */
export interface TraceSettings {
  /** Which traces are kept although all goes well. */
  readonly successes: SuccessRule;
  /** Settings that cannot be followed, each as a sentence. */
  readonly ignored: readonly string[];
}

export interface SuccessRule {
  /** Share of the traces, by trace id: 0 to 1. */
  readonly ratio: number;
  /** Whether a caller's sampled flag decides, where a request came with one. */
  readonly isCallersChoice: boolean;
}

/** One in a hundred. */
const defaultRatio = 0.01;

/** OTEL_TRACES_SAMPLER without its `parentbased_`, and the share it means; undefined: OTEL_TRACES_SAMPLER_ARG sets it. */
const samplers: ReadonlyMap<string, number | undefined> = new Map([
  ['always_on', 1],
  ['always_off', 0],
  ['traceidratio', undefined],
]);

/**
 * Reads the settings of traces; undefined when there is nothing to do: no endpoint, OTEL_SDK_DISABLED, or
 * OTEL_TRACES_EXPORTER=none. What cannot be read is ignored and reported, as OpenTelemetry requires: telemetry stops no service.
 * Source: OpenTelemetry specification, environment variables.
 */
export function readTraceSettings(env: Readonly<Record<string, string | undefined>>): TraceSettings | undefined {
  const value = (name: string) => env[name]?.trim() ?? '';
  const isEndpointGiven =
    value('OTEL_EXPORTER_OTLP_ENDPOINT') !== '' || value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') !== '';
  const isOff = value('OTEL_SDK_DISABLED').toLowerCase() === 'true' || value('OTEL_TRACES_EXPORTER') === 'none';
  if (!isEndpointGiven || isOff) return undefined;
  const ignored: string[] = [];
  const sampler = value('OTEL_TRACES_SAMPLER') || 'traceidratio';
  const name = sampler.replace(/^parentbased_/, '');
  if (!samplers.has(name)) ignored.push(`OTEL_TRACES_SAMPLER=${sampler} is not known; traceidratio is taken`);
  const ratio = samplers.get(name) ?? readRatio(value('OTEL_TRACES_SAMPLER_ARG'), ignored);
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (protocol !== '' && protocol !== 'http/json') ignored.push(`the protocol ${protocol} is not spoken; http/json is`);
  return { successes: { ratio, isCallersChoice: name !== sampler }, ignored };
}

function readRatio(text: string, ignored: string[]): number {
  if (text === '') return defaultRatio;
  const ratio = Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  ignored.push(`OTEL_TRACES_SAMPLER_ARG=${text} is not a number from 0 to 1; ${defaultRatio} is taken`);
  return defaultRatio;
}
