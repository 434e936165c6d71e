export { createByteBudget, heapShare, HeldBytes, type ByteBudget } from './byte-budget';
export {
  createLogger,
  logLevels,
  redactSecrets,
  redactText,
  silentLogger,
  type Logger,
  type LoggerOptions,
  type LogLevel,
} from './logger';
export { metricTable, type MetricName, type MetricRow } from './metric-table';
export { createMetrics, type Counter, type Gauge, type Histogram, type Metrics } from './metrics';
export {
  figureNames,
  keepMinutes,
  timingBounds,
  timingNames,
  type FigureName,
  type FiguresOf,
  type LivingProcess,
  type ProjectFigures,
  type TimingName,
} from './minutes';
export { childTraceparent, newTraceparent, readTraceparent, toTraceparent, type TraceContext } from './traceparent';
export { flushTraces, useSpanRecorder } from './tracing/recorder';
export type { AcceptedRecord, EndedStep, Facts, SpanRecorder } from './tracing/recorder';
export { asStep, classOf, currentStep, outsideSteps, startStep, type Step, type StepOptions } from './tracing/step';
export { ownTurn, repeat, type Repetition } from './turns';
