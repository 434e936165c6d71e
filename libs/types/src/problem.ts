import type { Issue, ProblemCode } from '@sluice/errors';
import { moment } from './json-schema';

/**
 * Body of an error reply, `application/problem+json`: RFC 9457, with extensions at top level under the names of the
 * published API's ApiProblem.
 */
export interface ApiProblem {
  /** Address of a page about the problem. */
  readonly type: string;
  readonly title: string;
  /** 400 to 599. */
  readonly status: number;
  readonly detail: string;
  readonly instance?: string;
  /** Stable, dotted: `write.delete-not-enabled`. */
  readonly code: ProblemCode;
  readonly requestId: string;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** Not before then, ISO 8601; with it goes the header `Retry-After`. */
  readonly retryAfter?: string;
  /** What the caller can do. */
  readonly remedy: string;
  readonly causes?: readonly string[];
  readonly time: string;
  /** The operation of a synchronous write that failed. */
  readonly operationId?: string;
}

/** A problem that lists the broken rules of a request. */
export interface InputValidationProblem extends ApiProblem {
  readonly issues: readonly Issue[];
}

const members = {
  type: { type: 'string', description: 'Address of a page about the problem.' },
  title: { type: 'string', description: 'The kind of problem, in words.' },
  status: { type: 'integer', minimum: 400, maximum: 599, description: 'HTTP status.' },
  detail: { type: 'string', description: 'This occurrence, in words.' },
  instance: { type: 'string', description: 'This occurrence.' },
  code: { type: 'string', pattern: '^[a-z-]+(\\.[a-z-]+)+$', description: 'Stable name of the problem.' },
  requestId: { type: 'string', description: 'Names the request in our logs.' },
  retryable: { type: 'boolean', description: 'Whether the same request may succeed later.' },
  retryAfter: { ...moment, description: 'Not before then.' },
  remedy: { type: 'string', description: 'What the caller can do.' },
  causes: { type: 'array', description: 'Causes, in words.', items: { type: 'string' } },
  time: { ...moment, description: 'When it happened.' },
  operationId: { type: 'string', description: 'The operation of a synchronous write that failed.' },
} as const;

const required = ['type', 'title', 'status', 'detail', 'code', 'requestId', 'retryable', 'remedy', 'time'] as const;

/** Schema of an error reply. */
export const apiProblemSchema = {
  type: 'object',
  description: 'An error, RFC 9457.',
  required,
  properties: members,
} as const;

/** Schema of an error reply that lists the broken rules of a request. */
export const inputValidationProblemSchema = {
  type: 'object',
  description: 'A request that breaks rules.',
  required: [...required, 'issues'],
  properties: {
    ...members,
    issues: {
      type: 'array',
      description: 'The broken rules.',
      items: {
        type: 'object',
        description: 'One broken rule.',
        required: ['in', 'name', 'detail'],
        properties: {
          in: { type: 'string', enum: ['body', 'header', 'path', 'query'], description: 'Part of the request.' },
          name: { type: 'string', description: 'Path of the field.' },
          detail: { type: 'string', description: 'The rule.' },
          value: { description: 'What was sent, unless secret.' },
        },
      },
    },
  },
} as const;

/** A broken rule of the body. `detail` continues the field's name: `must be …`; `value` only where it is no secret. */
export function bodyIssue(name: string, detail: string, value?: unknown): Issue {
  return { in: 'body', name, detail, ...(value === undefined ? {} : { value }) };
}
