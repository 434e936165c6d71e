import { failureClasses, problemCodeOf, problems, ProviderError, retryOf } from './index';

const codes = Object.entries(problems);

describe('the problem registry', () => {
  it.each(codes)('%s has a dotted name, a status of a failure, a title and a remedy', (code, problem) => {
    expect(code).toMatch(/^[a-z-]+\.[a-z-]+$/);
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
    expect(problem.title).not.toBe('');
    expect(problem.remedy).not.toBe('');
  });

  it("never answers a provider's refusal with our own 401 or 403", () => {
    for (const each of failureClasses) expect([401, 403]).not.toContain(problems[problemCodeOf(each)].status);
  });
});

describe('ProviderError', () => {
  it.each(failureClasses)('%s: class, code and retry belong together', (failureClass) => {
    const error = new ProviderError({ class: failureClass, detail: 'said the provider', cause: new Error('raw') });
    expect(error).toMatchObject({
      class: failureClass,
      code: problemCodeOf(failureClass),
      retry: retryOf(failureClass),
    });
    expect(error.message).not.toContain('raw');
  });

  it('repeats nothing that the provider refused for good', () => {
    const final = failureClasses.filter((each) => retryOf(each) === 'never');
    expect(final).toEqual(['rejected', 'not-found', 'conflict', 'forbidden']);
  });
});
