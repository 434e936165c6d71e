import { failureClasses, problems, retryOf } from './index';

const codes = Object.entries(problems);

describe('the problem registry', () => {
  it.each(codes)('%s has a dotted name, a status of a failure, a title and a remedy', (code, problem) => {
    expect(code).toMatch(/^[a-z-]+\.[a-z-]+$/);
    expect(problem.status).toBeGreaterThanOrEqual(400);
    expect(problem.status).toBeLessThan(600);
    expect(problem.title).not.toBe('');
    expect(problem.remedy).not.toBe('');
  });

  it('repeats nothing that the provider refused for good', () => {
    const final = failureClasses.filter((each) => retryOf(each) === 'never');
    expect(final).toEqual(['rejected', 'not-found', 'conflict', 'forbidden']);
  });
});
