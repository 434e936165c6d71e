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
import { InboundError, presentProblem } from './problem-handler';

const now = new Date('2026-11-20T10:00:00.000Z');
const present = (error: SluiceError) => presentProblem(error, 'request-1', now);
const detail = 'What happened.';

/** What every document of a code has. */
const whole = (code: ProblemCode) => ({
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

describe('presentProblem', () => {
  const issue = { in: 'body', name: 'record.email', detail: 'must be a string', value: 7 } as const;
  const meta = { operationId: 'op-1' };
  const later = (seconds: string) => ({ retryable: true, retryAfter: `2026-11-20T10:00:${seconds}Z` });

  interface Wire {
    readonly error: SluiceError;
    readonly more: object;
    readonly headers?: Record<string, string>;
  }

  // One picture of the wire per class of error.
  it.each<Wire>([
    {
      error: new ValidationError({ code: 'request.invalid', detail, issues: [issue] }),
      more: { status: 400, causes: ['record.email must be a string'], issues: [issue] },
    },
    {
      error: new AuthError({ code: 'auth.missing', detail }),
      more: { status: 401 },
      headers: { 'WWW-Authenticate': 'Bearer realm="sluice", ApiKey realm="sluice"' },
    },
    { error: new ForbiddenError({ code: 'write.delete-not-enabled', detail }), more: { status: 403 } },
    { error: new NotFoundError({ code: 'project.not-found', detail }), more: { status: 404 } },
    {
      error: new ConflictError({ code: 'write.record-busy', detail, meta }),
      more: { status: 409, operationId: 'op-1' },
    },
    {
      error: new RateLimitedError({ code: 'service.overloaded', detail, retryAfterMs: 1_500 }),
      more: { status: 429, ...later('01.500') },
      headers: { 'Retry-After': '2' },
    },
    {
      error: new InboundError({ code: 'request.method-not-allowed', detail, headers: { Allow: 'GET' } }),
      more: { status: 405 },
      headers: { Allow: 'GET' },
    },
    {
      error: new ProviderError({ class: 'quota', detail, retryAfterMs: 30_000, meta }),
      more: { status: 429, ...later('30.000'), operationId: 'op-1' },
      headers: { 'Retry-After': '30' },
    },
    {
      error: new DependencyError({ code: 'service.unavailable', detail, cause: new Error('canary') }),
      more: { status: 503, ...later('02.000') },
      headers: { 'Retry-After': '2' },
    },
    {
      error: new DefectError({ code: 'service.defect', detail: 'canary', cause: new Error('canary') }),
      more: { status: 500, detail: 'The service could not complete the request because of an internal error.' },
    },
  ])('$error.code on the wire', ({ error, more, headers = {} }) => {
    expect(present(error)).toEqual({ document: { ...whole(error.code), ...more }, headers });
  });

  const codes = Object.keys(problems) as ProblemCode[];
  it.each(codes)('%s makes a whole document', (code) => {
    expect(present(new InboundError({ code, detail })).document).toEqual(whole(code));
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
