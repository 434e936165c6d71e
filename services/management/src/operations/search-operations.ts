import type { Issue } from '@sluice/errors';
import { filterText, invalid, offByDefault } from '@sluice/http';
import type { FailuresFirstPosition, OpenSearch, OperationSearch, TextPosition, TextSearch } from '@sluice/store';
import {
  idOfPageToken,
  limits,
  openKinds,
  pageTokenOf,
  problemTextCharactersMax,
  seesGroup,
  type Caller,
  type Described,
  type OperationListReply,
  type PageQuery,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { byId, paginationOf, positionOf, type Cursor } from '../pages';
import { withQuotaWaits } from './list-lanes';
import { readMoment, refuseIssues } from '../refusals';

const moment = { type: 'string', format: 'date-time' } as const;
const word = { ...filterText, maxLength: limits.nameCharactersMax } as const;

/** What the operations of a project are searched by. */
export const searchProperties = {
  status: { type: 'string', enum: ['in_progress', 'success', 'failure'] },
  open: {
    type: 'string',
    enum: openKinds,
    description:
      'Only those not ended with records that the overview counts so: waiting (to be sent, being sent or tried again), filling (in an open auto-batch), held (by refused credentials or a block).',
  },
  groupRef: filterText,
  groupRefPrefix: { ...word, description: 'Only of groups that begin so; at most 200 installations.' },
  installationId: word,
  objectName: filterText,
  hasFailures: { ...offByDefault, description: 'Only those of which a record failed, or is not known to be written.' },
  problemCode: { ...word, description: "Only those of which a record failed with a problem of this provider's code." },
  problemField: { ...word, description: 'Only those of which a record failed with a problem of this field.' },
  problemText: {
    ...filterText,
    maxLength: problemTextCharactersMax,
    description:
      'Only those of which a record failed with a problem whose sentence begins so; without problemCode and problemField, one that has neither code nor field.',
  },
  recordRef: { ...word, description: 'Only those with a record that was sent with this Sluice-Record-Ref.' },
  recordId: { ...word, description: 'Only those with a record that has this id at the provider.' },
  search: {
    ...word,
    description:
      'Only those that this text names: an operation id, its first 8 characters or more, or its last 8; the beginning of the ref or the name of a group, in whatever letters; the Sluice-Record-Ref of a record, or its id at the provider.',
  },
  order: {
    type: 'string',
    enum: ['newest-first', 'failures-first'],
    description: 'failures-first: those of which no record was written, newest first, then all others.',
  },
  counts: { ...offByDefault, description: 'Also count the newest of them by how they stand, whatever the status.' },
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
  context: ManagementContext,
  projectId: string,
  caller: Caller,
  { pageSize: size = limits.pageSizeDefault, pageToken, ...asked }: SearchQuery,
): Promise<OperationListReply> {
  const { store } = context;
  const { groupRef = caller.groupRef, since, until, counts, order, search: text, open, ...filter } = asked;
  // A bearer token that names no group means its own, and another one has nothing.
  if (!seesGroup(caller, groupRef)) return { results: [], pagination: { done: true } };
  const span = { since: since && readMoment('since', since), until: until && readMoment('until', until) } as const;
  refuseIssues(issuesOf(asked, span.since || undefined, span.until || undefined));
  const search = { ...filter, groupRef, since: span.since || undefined, until: span.until || undefined };
  if (text !== undefined) return await searchByText(context, projectId, { ...search, text }, { size, pageToken });
  const page = { size, pageToken };
  const [found, counted] = await (open === undefined
    ? Promise.all([
        order === 'failures-first'
          ? listFailuresFirst(context, projectId, search, page)
          : listNewestFirst(context, projectId, search, page),
        counts === true ? store.operations.countByStatus(projectId, search) : undefined,
      ])
    : listOpen(context, projectId, { ...search, open }, page));
  if (found === 'too-many-installations') {
    const detail = 'begins the groups of more than 200 installations';
    const issue = { in: 'query', name: 'groupRefPrefix', detail, value: filter.groupRefPrefix } as const;
    throw invalid([issue], { remedy: 'Name more of the group.' });
  }
  const { items, pagination } = found;
  return {
    results: await withQuotaWaits(context, items),
    pagination,
    ...(counts === true && counted && { counts: counted }),
  };
}

interface AskedPage {
  readonly size: number;
  readonly pageToken: string | undefined;
}

async function listNewestFirst(
  context: ManagementContext,
  projectId: string,
  search: OperationSearch,
  page: AskedPage,
) {
  const after = positionOf(page.pageToken, byId);
  const found = await context.store.operations.search(projectId, search, { size: page.size, ...(after && { after }) });
  if (found === 'too-many-installations') return found;
  const { items, lastId } = found;
  return { items, pagination: lastId === undefined ? { done: true } : paginationOf([{ id: lastId }], true, byId) };
}

/** With their counts, which come of the same reading. */
async function listOpen(
  context: ManagementContext,
  projectId: string,
  search: OpenSearch,
  { size, pageToken }: AskedPage,
) {
  const after = positionOf(pageToken, byId);
  const found = await context.store.operations.findOpen(projectId, search, { size, ...(after && { after }) });
  if (found === 'too-many-installations') return [found, undefined] as const;
  const { items, lastId, counts } = found;
  const pagination = lastId === undefined ? { done: true } : paginationOf([{ id: lastId }], true, byId);
  return [{ items, pagination }, counts] as const;
}

async function listFailuresFirst(
  context: ManagementContext,
  projectId: string,
  search: OperationSearch,
  { size, pageToken }: AskedPage,
) {
  const after = positionOf(pageToken, byFailure);
  const found = await context.store.operations.listFailuresFirst(projectId, search, { size, after });
  if (found === 'too-many-installations') return found;
  const { items, next } = found;
  return { items, pagination: next === undefined ? { done: true } : paginationOf([next], true, byFailure) };
}

/** An id behind a byte that names the part of the list: 0 is that of failed operations. */
const byFailure: Cursor<FailuresFirstPosition, FailuresFirstPosition> = {
  read: (token) => {
    const bytes = Buffer.from(token, 'base64url');
    const beforeId = idOfPageToken(bytes.subarray(1).toString('base64url'));
    if (beforeId === undefined) return undefined;
    const position = { part: bytes[0] === 0 ? 'failed' : 'others', beforeId } as const;
    return byFailure.tokenOf(position) === token ? position : undefined;
  },
  tokenOf: ({ part, beforeId }) =>
    Buffer.concat([Buffer.from([part === 'failed' ? 0 : 1]), Buffer.from(pageTokenOf(beforeId), 'base64url')]).toString(
      'base64url',
    ),
};

/** Of the two ids of a position: how far operations were searched by name, and by their records. */
const byText: Cursor<TextPosition, TextPosition> = {
  read: (token) => {
    const bytes = Buffer.from(token, 'base64url');
    const [named, records] = [bytes.subarray(0, 16), bytes.subarray(16)].map((id) =>
      idOfPageToken(id.toString('base64url')),
    );
    if (named === undefined || records === undefined) return undefined;
    return byText.tokenOf({ named, records }) === token ? { named, records } : undefined;
  },
  tokenOf: ({ named, records }) =>
    Buffer.concat([named, records].map((id) => Buffer.from(pageTokenOf(id), 'base64url'))).toString('base64url'),
};

async function searchByText(
  context: ManagementContext,
  projectId: string,
  search: TextSearch,
  { size, pageToken }: AskedPage,
): Promise<OperationListReply> {
  const after = positionOf(pageToken, byText);
  const found = await context.store.operations.findByText(projectId, search, { size, ...(after && { after }) });
  const { items, next, groups, hasMoreGroups, recordsSearchedToId } = found;
  const searchedSince = recordsSearchedToId && { recordsSearchedSince: momentOfId(recordsSearchedToId) };
  return {
    results: await withQuotaWaits(context, items),
    pagination: next === undefined ? { done: true } : paginationOf([next], true, byText),
    search: { groups, hasMoreGroups, ...searchedSince },
  };
}

/** Source: RFC 9562, 5.7: a uuid v7 begins with 48 bits of Unix milliseconds. */
const momentOfId = (id: string): string =>
  new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString();

function issuesOf(
  {
    installationId,
    recordRef,
    recordId,
    search,
    counts,
    groupRefPrefix,
    since: from,
    until: to,
    ...asked
  }: SearchQuery,
  since: Date | undefined,
  until: Date | undefined,
): Issue[] {
  const issues: Issue[] = [];
  const refuse = (name: string, detail: string, value?: string): void =>
    void issues.push({ in: 'query', name, detail, ...(value === undefined ? {} : { value }) });
  const isEmpty = since !== undefined && until !== undefined && until <= since;
  if (isEmpty) refuse('until', 'must be later than since', to);
  const { order, open, hasFailures, problemCode, problemField, problemText } = asked;
  const ofFailures = { hasFailures: hasFailures === true ? 'true' : undefined, problemCode, problemField, problemText };
  const unordered = { groupRefPrefix, recordRef, recordId, search, open, ...ofFailures };
  for (const [name, value] of order === 'failures-first' ? Object.entries(unordered) : [])
    if (value !== undefined) refuse(name, 'must be absent with order=failures-first, which no search follows', value);
  const others = { groupRefPrefix, recordRef, recordId, open, counts: counts === true ? 'true' : undefined };
  for (const [name, value] of search === undefined ? [] : Object.entries(others))
    if (value !== undefined) refuse(name, 'must be absent with search, which looks for these by itself', value);
  if (search !== undefined) return issues;
  if (recordRef === undefined && recordId === undefined) return issues;
  if (installationId === undefined) refuse('installationId', 'is required with a record: one installation is searched');
  if (since === undefined) refuse('since', `is required with a record: up to ${recordDaysMax} days are searched`);
  else if ((until?.getTime() ?? Date.now()) - since.getTime() > recordDaysMax * 86_400_000)
    refuse('since', `must be at most ${recordDaysMax} days before ${until === undefined ? 'now' : 'until'}`, from);
  return issues;
}
