import type { Logger } from '@sluice/telemetry';

/**
 * A logger for an app that fails on purpose: a 5xx that a script asked for is not something a person must look at.
 * Real failures carry the error; scripted ones do not.
 */
export function scriptedLogger(logger: Logger): Logger {
  return {
    ...logger,
    error: (fields, event) => {
      const isReal = !('error' in fields) || fields.error !== undefined;
      if (isReal) logger.error(fields, event);
      else logger.debug(fields, event);
    },
    child: (fields) => scriptedLogger(logger.child(fields)),
  };
}
