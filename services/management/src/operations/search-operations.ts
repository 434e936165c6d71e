import type { Issue } from '@sluice/errors';
import { filterText, invalid, offByDefault } from '@sluice/http';
import type { OperationSearch } from '@sluice/store';
import { limits, seesGroup, type Caller, type Described, type OperationListReply, type PageQuery } from '@sluice/types';
import type { ManagementContext } from '../context';
import { byId, paginationOf, positionOf } from '../pages';
import { readMoment, refuseIssues } from '../refusals';

const moment = { type: 'string', format: 'date-time' } as const;
const word = { ...filterText, maxLength: limits.nameCharactersMax } as const;

/** What the operations of a project are searched by. */
export const searchProperties = {
  status: { type: 'string', enum: ['in_progress', 'success', 'failure'] },
  groupRef: filterText,
  groupRefPrefix: { ...word, description: 'Only of groups that begin so; at most 200 installations.' },
  installationId: word,
  objectName: filterText,
  hasFailures: { ...offByDefault, description: 'Only those of which a record failed, or is not known to be written.' },
  recordRef: { ...word, description: 'Only those with a record that was sent with this Sluice-Record-Ref.' },
  recordId: { ...word, description: 'Only those with a record that has this id at the provider.' },
  since: moment,
  until: { ...moment, description: 'Accepted before this moment.' },
} as const;

type SearchQuery = Described<{ readonly type: 'object'; readonly properties: typeof searchProperties }> & PageQuery;

/** Days that a search for a record spans at most. Our choice, because each operation in the span may be read. */
const recordDaysMax = 31;

/**
 * A page of the operations that have all of this, newest first. By failures, by the beginning of a group and by a record no index finds them: such a page
 * may have few operations and none, and still another page.
 * @throws ValidationError 400 for a search that no page answers
 */
export async function searchOperations(
  { store }: ManagementContext,
  projectId: string,
  caller: Caller,
  { pageSize: size = limits.pageSizeDefault, pageToken, ...asked }: SearchQuery,
): Promise<OperationListReply> {
  const { groupRef = caller.groupRef, since, until, ...filter } = asked;
  // A bearer token that names no group means its own, and another one has nothing.
  if (!seesGroup(caller, groupRef)) return { results: [], pagination: { done: true } };
  const span = { since: since && readMoment('since', since), until: until && readMoment('until', until) } as const;
  refuseIssues(issuesOf(asked, span.since || undefined, span.until || undefined));
  const search = { ...filter, groupRef, since: span.since || undefined, until: span.until || undefined };
  const after = positionOf(pageToken, byId);
  const found = await store.operations.search(projectId, search satisfies OperationSearch, { size, after });
  if (found === 'too-many-installations') {
    const detail = 'begins the groups of more than 200 installations';
    const issue = { in: 'query', name: 'groupRefPrefix', detail, value: filter.groupRefPrefix } as const;
    throw invalid([issue], { remedy: 'Name more of the group.' });
  }
  const { items: results, lastId } = found;
  if (lastId === undefined) return { results, pagination: { done: true } };
  return { results, pagination: paginationOf([{ id: lastId }], true, byId) };
}

function issuesOf(
  { installationId, recordRef, recordId, since: from, until: to }: SearchQuery,
  since: Date | undefined,
  until: Date | undefined,
): Issue[] {
  const issues: Issue[] = [];
  const refuse = (name: string, detail: string, value?: string): void =>
    void issues.push({ in: 'query', name, detail, ...(value === undefined ? {} : { value }) });
  const isEmpty = since !== undefined && until !== undefined && until <= since;
  if (isEmpty) refuse('until', 'must be later than since', to);
  if (recordRef === undefined && recordId === undefined) return issues;
  if (installationId === undefined) refuse('installationId', 'is required with a record: one installation is searched');
  if (since === undefined) refuse('since', `is required with a record: up to ${recordDaysMax} days are searched`);
  else if ((until?.getTime() ?? Date.now()) - since.getTime() > recordDaysMax * 86_400_000)
    refuse('since', `must be at most ${recordDaysMax} days before ${until === undefined ? 'now' : 'until'}`, from);
  return issues;
}
