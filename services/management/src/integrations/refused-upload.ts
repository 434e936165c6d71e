import { ValidationError, type Issue } from '@sluice/errors';

/** The error for one broken rule of an upload, with what can be done about it. */
export function refusedUpload(issue: Issue, remedy: string): ValidationError {
  const detail = `${issue.name} ${issue.detail}.`;
  return new ValidationError({ code: 'request.invalid', detail, issues: [issue], remedy });
}
