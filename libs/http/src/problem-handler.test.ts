import {
  AuthError,
  ConflictError,
  DefectError,
  DependencyError,
  failureClasses,
  ForbiddenError,
  NotFoundError,
  problems,
  ProviderError,
  RateLimitedError,
  ValidationError,
  type ProblemCode,
  type SluiceError,
} from '@sluice/errors';
import { InboundError } from './inbound-error';
import { presentProblem } from './problem-handler';

const now = new Date('2026-11-20T10:00:00.000Z');
const present = (error: SluiceError) => presentProblem(error, 'request-1', now);
const detail = 'What happened.';

describe('presentProblem', () => {
  // One picture of the wire per class of error.
  it.each<[string, SluiceError]>([
    [
      'ValidationError',
      new ValidationError({
        code: 'request.invalid',
        detail,
        issues: [{ in: 'body', name: 'record.email', detail: 'must be a string', value: 7 }],
      }),
    ],
    ['AuthError', new AuthError({ code: 'auth.missing', detail })],
    ['ForbiddenError', new ForbiddenError({ code: 'write.delete-not-enabled', detail })],
    ['NotFoundError', new NotFoundError({ code: 'project.not-found', detail })],
    ['ConflictError', new ConflictError({ code: 'write.record-busy', detail, meta: { operationId: 'op-1' } })],
    ['RateLimitedError', new RateLimitedError({ code: 'service.overloaded', detail, retryAfterMs: 1_500 })],
    ['InboundError', new InboundError({ code: 'request.method-not-allowed', detail, headers: { Allow: 'GET' } })],
    [
      'ProviderError',
      new ProviderError({ class: 'quota', detail, retryAfterMs: 30_000, meta: { operationId: 'op-1' } }),
    ],
    ['DependencyError', new DependencyError({ code: 'service.unavailable', detail, cause: new Error('canary') })],
    ['DefectError', new DefectError({ code: 'service.defect', detail: 'canary', cause: new Error('canary') })],
  ])('%s on the wire', (_class, error) => {
    const presented = present(error);
    expect(presented).toMatchSnapshot();
    expect(JSON.stringify(presented)).not.toContain('canary');
  });

  it.each(Object.keys(problems))('%s makes a whole document', (name) => {
    const code = name as ProblemCode;
    const { document } = present(new InboundError({ code, detail }));
    expect(document).toEqual({
      type: `/problems/${code}`,
      title: problems[code].title,
      status: problems[code].status,
      detail,
      instance: 'request-1',
      code,
      requestId: 'request-1',
      time: now.toISOString(),
      retryable: false,
      remedy: problems[code].remedy,
    });
  });

  // A provider's 401 or 403 is never ours, and a write of unknown outcome is never "just send it again".
  it.each(failureClasses)('provider failure %s', (failureClass) => {
    const { document, headers } = present(new ProviderError({ class: failureClass, detail }));
    expect([409, 422, 429, 502, 504]).toContain(document.status);
    expect(document.retryable).toBe(['quota', 'unavailable', 'timeout'].includes(failureClass));
    expect(Object.hasOwn(headers, 'Retry-After')).toBe(document.retryable);
  });

  it('lets a create that timed out say that it must not be repeated', () => {
    const { document, headers } = present(new ProviderError({ class: 'timeout', detail, meta: { retryable: false } }));
    expect(document).toMatchObject({ status: 504, retryable: false });
    expect(headers).toEqual({});
  });

  it('prefers the remedy of the error', () => {
    expect(present(new InboundError({ code: 'request.invalid', detail, remedy: 'Do this.' })).document.remedy).toBe(
      'Do this.',
    );
  });
});
