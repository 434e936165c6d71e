import { ValidationError, type Issue } from '@sluice/errors';
import { invalid } from '@sluice/http';

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

/** The error for a contradiction, with one issue that names the member. */
export function contradiction({ code, name, detail, value, remedy }: Contradiction): ValidationError {
  return new ValidationError({
    code,
    detail: `${name} ${detail}.`,
    issues: [{ in: 'body', name, detail, ...(value === undefined ? {} : { value }) }],
    ...(remedy === undefined ? {} : { remedy }),
  });
}
