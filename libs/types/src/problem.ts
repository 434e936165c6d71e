import type { Issue, ProblemCode } from '@sluice/errors';
import { choice, flag, listOf, momentText, openObject, text, type Described } from './json-schema';

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
/**
 * Body of an error reply, `application/problem+json`: RFC 9457, with extensions at top level under the names of the
 * published API's ApiProblem. With `retryAfter` goes the header `Retry-After`.
 */
export type ApiProblem = Described<typeof apiProblemSchema> & { readonly code: ProblemCode };

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
export type InputValidationProblem = Described<typeof inputValidationProblemSchema> & { readonly code: ProblemCode };

/** A broken rule of the body. `detail` continues the field's name: `must be …`; `value` only where it is no secret. */
export function bodyIssue(name: string, detail: string, value?: unknown): Issue {
  return { in: 'body', name, detail, ...(value === undefined ? {} : { value }) };
}
