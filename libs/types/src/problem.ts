import type { Issue, ProblemCode } from '@sluice/errors';
import { choice, flag, listOf, momentText, openObject, text } from './json-schema';

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
  type: text('Address of a page about the problem.'),
  title: text('The kind of problem, in words.'),
  status: { type: 'integer', minimum: 400, maximum: 599, description: 'HTTP status.' },
  detail: text('This occurrence, in words.'),
  instance: text('This occurrence.'),
  code: { type: 'string', pattern: '^[a-z-]+(\\.[a-z-]+)+$', description: 'Stable name of the problem.' },
  requestId: text('Names the request in our logs.'),
  retryable: flag('Whether the same request may succeed later.'),
  retryAfter: momentText('Not before then.'),
  remedy: text('How the caller can solve it.'),
  causes: listOf('Causes, in words.', { type: 'string' }),
  time: momentText('When it happened.'),
  operationId: text('The operation of a synchronous write that failed.'),
} as const;

const required = ['type', 'title', 'status', 'detail', 'code', 'requestId', 'retryable', 'remedy', 'time'] as const;

export const apiProblemSchema = openObject('An error, RFC 9457.', required, members);

export const inputValidationProblemSchema = openObject('A request that breaks rules.', [...required, 'issues'], {
  ...members,
  issues: listOf(
    'The broken rules.',
    openObject('One broken rule.', ['in', 'name', 'detail'], {
      in: choice('Part of the request.', ['body', 'header', 'path', 'query']),
      name: text('Path of the field.'),
      detail: text('The rule.'),
      value: { description: 'What was sent, unless secret.' },
    }),
  ),
});

/** A broken rule of the body. `detail` continues the field's name: `must be …`; `value` only where it is no secret. */
export function bodyIssue(name: string, detail: string, value?: unknown): Issue {
  return { in: 'body', name, detail, ...(value === undefined ? {} : { value }) };
}
