export { createLogger, logLevels, silentLogger, type Logger, type LoggerOptions, type LogLevel } from './logger';
export { createMetrics, durationBuckets } from './metrics';
export type { Counter, Gauge, Histogram, Labels, Metrics } from './metrics';
export { redactSecrets, redactText } from './redact-secrets';
export { childTraceparent, newTraceparent } from './traceparent';
