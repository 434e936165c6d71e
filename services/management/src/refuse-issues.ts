import { ValidationError, type Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';
import { limits } from '@sluice/types';

/** @throws ValidationError `request.invalid`, 400, that lists the issues, when there is one */
export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw invalid(issues);
}

/** What a body asks for that contradicts what is stored or what a provider says: 422. */
export interface Contradiction {
  readonly code: 'installation.config-invalid' | 'connection.scheme-mismatch' | 'provider.unknown';
  /** Member of the body. */
  readonly name: string;
  readonly detail: string;
  /** Never a secret. */
  readonly value?: string;
  readonly remedy?: string;
}

/** @throws ValidationError 422 that lists the issues, when there is one */
export function refuseContradictions(code: Contradiction['code'], issues: readonly Issue[]): void {
  const [first] = issues;
  if (first === undefined) return;
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more)` : '';
  throw new ValidationError({
    code,
    detail: `${first.name} ${first.detail}${more}.`,
    issues: issues.slice(0, limits.issuesMax),
  });
}

/** The error for a contradiction, with one issue that names the member. */
export function contradiction({ code, name, detail, value, remedy }: Contradiction): ValidationError {
  return new ValidationError({
    code,
    detail: `${name} ${detail}.`,
    issues: [{ in: 'body', name, detail, ...(value === undefined ? {} : { value }) }],
    ...(remedy === undefined ? {} : { remedy }),
  });
}
