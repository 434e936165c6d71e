import pino from 'pino';
import { SluiceError } from '@sluice/errors';
import { scopeFields } from './tracing/step';

/**
 * Writes one JSON line per event. `fields` first, then the event's dotted name: `write.attempted`.
 * Never throws for its arguments; secrets inside `fields` are masked (see redactSecrets).
 * Levels: a 4xx is `info`; `error` means that a person must act.
 */
export interface Logger {
  debug(fields: object, event: string): void;
  info(fields: object, event: string): void;
  warn(fields: object, event: string): void;
  error(fields: object, event: string): void;
  /** Whether lines of this level are written: for lines that are expensive to make. */
  writes(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
  /** A logger that adds `fields` to each of its lines. */
  child(fields: object): Logger;
}

/** Least severe first. `silent` writes nothing. */
const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

export interface LoggerOptions {
  /** Stands in every line as `service`. */
  readonly service: string;
  /** One of `logLevels`. @default 'info' */
  readonly level?: string;
  /**
   * @default standard output, written synchronously so that a crash loses no line. While it accepts none (its disk is full, for example) a
   * megabyte of lines waits, later ones are lost and counted, and the process goes on
   */
  readonly destination?: NodeJS.WritableStream;
}

/**
 * A logger of JSON lines: `level`, `time` (ISO 8601), `pid`, `service`, the fields, `event`. Inside a step (a request, a call, a flush) it adds
 * `trace_id` and `span_id`, and `requestId` and `operationId` as far as they are known.
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

/** Bytes of lines that wait while standard output accepts none; the lines after them are lost. */
const waitingBytesMax = 1_000_000;

/** Without a listener a full disk would end the process at its next line. The first line after an outage counts the lost ones. */
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
    // Checked first: masking costs more than a line that is not written.
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

const mask = '[secret]';

/** Compared in lower case without `-` and `_`, so `X-Api-Key`, `apiKey` and `api_key` are one name. */
const secretNames = new Set([
  'accesstoken',
  'apikey',
  'authorization',
  'bearer',
  'clientsecret',
  'cookie',
  'credentials',
  'idtoken',
  'password',
  'proxyauthorization',
  'refreshtoken',
  'secret',
  'setcookie',
  'token',
  'xapikey',
]);

/** Deeper values are cut: a log line is for reading, and a cycle must end. */
const depthMax = 6;

const bearer = /\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi;
const userinfo = /:\/\/[^\s/@]+@/g;
const assigned = /\b(access_token|refresh_token|client_secret|password|hapikey)=[^\s&"']+/gi;

/**
 * Masks secrets inside free text: bearer and basic credentials, userinfo of a URL, tokens in a query string.
 * A second line of defence: such text should not be logged at all.
 */
export function redactText(text: string): string {
  if (text.length < 9) return text;
  return text.replace(bearer, `$1 ${mask}`).replace(userinfo, `://${mask}@`).replace(assigned, `$1=${mask}`);
}

/**
 * A copy of log fields with secrets masked. By name they are masked at any depth, however spelled (authorization, x-api-key, token, accessToken,
 * refreshToken, apiKey, password, clientSecret, cookie). Inside strings they are masked by their form. Errors become plain objects, bytes become
 * their length, values deeper than six levels are cut.
 */
export function redactSecrets(fields: object): Record<string, unknown> {
  return redactMembers(fields, 0);
}

function redactMembers(value: object, depth: number): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    copy[name] = isSecretName(name) && member !== undefined && member !== null ? mask : redactValue(member, depth + 1);
  }
  return copy;
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth >= depthMax) return '[cut]';
  if (value instanceof Error) return redactMembers(describeError(value), depth);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, depth + 1));
  if (value instanceof Map) return redactMembers(Object.fromEntries(value), depth);
  if (value instanceof Set) return [...value].map((item) => redactValue(item, depth + 1));
  return redactMembers(value, depth);
}

function isSecretName(name: string): boolean {
  return secretNames.has(name.toLowerCase().replace(/[-_]/g, ''));
}

/**
 * An error as log fields: name, message, stack, `code` when it has one, and its `cause` in the same form. An AggregateError adds its members under
 * `errors`, a SluiceError `retry` and `meta`.
 */
function describeError(error: Error): Record<string, unknown> {
  const code: unknown = 'code' in error ? error.code : undefined;
  return {
    name: error.name,
    message: error.message,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof SluiceError ? { retry: error.retry, meta: error.meta } : {}),
    ...(error instanceof AggregateError ? { errors: error.errors } : {}),
    stack: error.stack,
    ...(error.cause === undefined ? {} : { cause: error.cause }),
  };
}
