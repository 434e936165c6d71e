export { ByteBudget, heapShare, HeldBytes, type Owners } from './byte-budget';
export { watchHealth, type Check, type Fault, type HealthWatch, type Readiness } from './health';
export { createLogger, redactText, silentLogger, type Logger } from './logger';
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
export type { AcceptedRecord, EndedStep, Facts } from './tracing/recorder';
export {
  asStep,
  childTraceparent,
  classOf,
  currentStep,
  flushTraces,
  outsideSteps,
  readTraceparent,
  startStep,
  toTraceparent,
  useSpanRecorder,
  type Step,
  type StepOptions,
} from './tracing/step';
export { yieldToEventLoop, repeat } from './turns';
