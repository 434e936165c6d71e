import { refuseIssues } from './refuse-issues';

/** The form is checked already; a leap second is of that form, and no moment here. Before 1970 nothing was accepted. */
export function readMoment(name: string, value: string): Date {
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) refuseIssues([{ in: 'query', name, detail: 'must be a moment', value }]);
  return new Date(Math.max(0, ms));
}
