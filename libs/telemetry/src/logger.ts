import pino from 'pino';
import { redactSecrets } from './redact-secrets';
import { scopeFields } from './tracing/step';

/**
 * Writes one JSON line per event. `fields` first, then the event's dotted name: `write.attempted`.
 * Never throws for what it is given; secrets inside `fields` are masked (see redactSecrets).
 * Levels: a 4xx is `info`; `error` means that a person must act.
 */
export interface Logger {
  debug(fields: object, event: string): void;
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
  /** Whether lines of this level are written: for those that cost something to make. */
  writes(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: object): Logger;
}

/** Least severe first. `silent` writes nothing. */
export const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof logLevels)[number];

export interface LoggerOptions {
  /** Stands in every line as `service`. */
  readonly service: string;
  /** One of `logLevels`. @default 'info' */
  readonly level?: string;
  /**
   * @default standard output, written synchronously so that a crash loses no line. While it takes none (its disk is full, say) a megabyte of
   * lines waits, later ones are lost and counted, and the process goes on
   */
  readonly destination?: NodeJS.WritableStream;
}

/**
 * A logger of JSON lines: `level`, `time` (ISO 8601), `pid`, `service`, the fields, `event`; inside a step (a request, a call, a
 * flush) also `trace_id` and `span_id`, and `requestId` and `operationId` as far as they are known.
 * @throws RangeError when `level` is not one of `logLevels`
 */
export function createLogger(options: LoggerOptions): Logger {
  const level = options.level ?? 'info';
  if (!logLevels.some((known) => known === level)) {
    throw new RangeError(`log level '${level}' is not one of ${logLevels.join(', ')}`);
  }
  const settings: pino.LoggerOptions = {
    level,
    base: { pid: process.pid, service: options.service },
    messageKey: 'event',
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    mixin: scopeFields,
  };
  return options.destination ? wrap(pino(settings, options.destination)) : toStandardOutput(settings);
}

/** Bytes of lines that wait while standard output takes none; the lines after them are lost. */
const waitingBytesMax = 1_000_000;

/** Without a listener a full disk would end the process at its next line. What was lost is counted in the first line that is written again. */
function toStandardOutput(settings: pino.LoggerOptions): Logger {
  const output = pino.destination({ dest: 1, sync: true, maxLength: waitingBytesMax });
  const logger = wrap(pino(settings, output));
  let lost = 0;
  output.on('error', () => undefined);
  output.on('drop', () => (lost += 1));
  output.on('drain', () => {
    if (lost === 0) return;
    const lines = lost;
    lost = 0;
    logger.warn({ lines }, 'log.lines-lost');
  });
  return logger;
}

/** A logger that writes nothing: for code that needs one and a caller that has none. */
export const silentLogger: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  writes: () => false,
  child: () => silentLogger,
};

function wrap(logger: pino.Logger): Logger {
  const write = (level: 'debug' | 'info' | 'warn' | 'error') => (fields: object, event: string) => {
    // Asked first: masking costs more than a line that is not written.
    if (logger.isLevelEnabled(level)) logger[level](redactSecrets(fields), event);
  };
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    writes: (level) => logger.isLevelEnabled(level),
    child: (fields) => wrap(logger.child(redactSecrets(fields))),
  };
}
