import type { Issue } from '@sluice/errors';
import { bodyIssue } from './body-issue';

/** Labels of a host name, each at most 63 characters.2, item 15; RFC 1035, section 2.3.4. */
const label = /^[a-z0-9-]{1,63}$/i;
/** Ours: a host name has at most 127 labels, and no provider's workspace has more than a few. */
const labelsMax = 8;

/**
 * Rule of a workspace reference: dot-separated labels, because a provider's host name may be built from it, and a token
 * is sent there. Case does not count.
 */
export function checkWorkspaceRef(workspaceRef: string | undefined, path = 'providerWorkspaceRef'): Issue[] {
  const labels = workspaceRef?.split('.') ?? [];
  if (labels.length <= labelsMax && labels.every((one) => label.test(one))) return [];
  const detail = 'must be letters, digits and hyphens, in parts joined by dots, such as acme--uat.sandbox';
  return [bodyIssue(path, detail, workspaceRef?.slice(0, 80))];
}

/** Whether two references name one workspace. */
export function isSameWorkspace(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
