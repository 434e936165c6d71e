import type { ErrorShape } from './declaration';
import { textAt, valueAt } from './pointer';

/** What a body says of an error. */
export interface SaidError {
  readonly message?: string;
  readonly code?: string;
  readonly existingId?: string;
}

/** Most errors of a list that a text names. [own] */
const namedMax = 5;

/** By the first form that fits: one whose place is there and tells a message or a code. */
export function readError(shapes: readonly ErrorShape[], body: unknown): SaidError {
  for (const shape of shapes) {
    const said = readShape(shape, body);
    if (said !== undefined) return said;
  }
  return {};
}

function readShape(shape: ErrorShape, body: unknown): SaidError | undefined {
  const found = valueAt(body, shape.at);
  const errors: unknown[] = Array.isArray(found) ? found : found === undefined ? [] : [found];
  const first = (error: unknown, pointers: readonly string[] = []) =>
    pointers.map((pointer) => textAt(error, pointer)).find((text) => text !== undefined);
  const messages = errors.slice(0, namedMax).flatMap((error) => {
    const message = first(error, shape.message);
    const field = first(error, shape.field);
    if (message === undefined) return [];
    return [field === undefined || message.includes(field) ? message : `${field}: ${message}`];
  });
  const code = errors.map((error) => first(error, shape.code)).find((text) => text !== undefined);
  if (messages.length === 0 && code === undefined) return undefined;
  const existingId = shape.existingId === undefined ? undefined : first(errors[0], [shape.existingId]);
  return {
    ...(messages.length > 0 && { message: messages.join('; ') }),
    ...(code !== undefined && { code }),
    ...(existingId !== undefined && { existingId }),
  };
}
