import { SluiceError } from '@sluice/errors';

/**
 * An error as log fields: name, message, stack, `code` when it has one, its `cause` in the same form,
 * the members of an AggregateError under `errors`; of a SluiceError also `retry` and `meta`.
 */
export function describeError(error: Error): Record<string, unknown> {
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
