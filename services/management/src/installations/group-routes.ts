import { filterText, json, queryOf, type Router } from '@sluice/http';
import type { GroupPart, GroupPosition } from '@sluice/store';
import {
  groupHealthListReplySchema,
  groupsOfPageDefault,
  groupsOfPageMax,
  groupStates,
  groupTokenCharactersMax,
  limits,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { paginationOf, readPage, type Cursor } from '../pages';
import { routesOfProject } from '../projects/get-project';

const groupQuery = queryOf({
  search: {
    ...filterText,
    maxLength: limits.nameCharactersMax,
    description: 'Only groups whose name or ref begins so, whatever the case.',
  },
  state: {
    type: 'string',
    enum: groupStates,
    description: 'Only groups in this state; not_installed: with a connection that no installation uses.',
  },
  integrationId: { ...filterText, description: 'Only groups that have installed it.' },
  groupRef: { ...filterText, description: 'Only this group.' },
  pageSize: { type: 'integer', minimum: limits.pageSizeMin, maximum: groupsOfPageMax },
  pageToken: { type: 'string', minLength: 1, maxLength: groupTokenCharactersMax },
});

/** The parts of a position as JSON: a name and a ref may have any character. */
const byGroup: Cursor<{ readonly position: GroupPosition }, GroupPosition> = {
  read: (token) => {
    try {
      const [part, key, groupRef] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[];
      const position = { part: part as GroupPart, key: key as string, groupRef: groupRef as string };
      const isOne = (part === 0 || part === 1 || part === 2) && typeof key === 'string' && typeof groupRef === 'string';
      return isOne && byGroup.tokenOf({ position }) === token ? position : undefined;
    } catch {
      return undefined;
    }
  },
  tokenOf: ({ position: { part, key, groupRef } }) =>
    Buffer.from(JSON.stringify([part, key, groupRef])).toString('base64url'),
};

export function groupRoutes(router: Router, context: ManagementContext): void {
  routesOfProject(router, context, 'Installations').get('/group-health', 'listGroupHealth', {
    summary: 'See how the groups of a project are doing',
    description:
      'Each group once, unhealthy ones first, then by name; with search, groups that only their ref matches come last. Always in pages; one reads 5,000 groups at most, and may be short or empty while nextPageToken leads further. Unhealthy installations are looked for among 1,000 refused connections and the newest 2,000 failures, connections without an installation among the newest 2,000.',
    replies: { 200: json(groupHealthListReplySchema) },
    // Not for bearer tokens: it is a view of all groups.
    scopes: ['frontend', 'read'],
    query: groupQuery,
    replyBytesMax: limits.pageBytesMax,
    answer: async ({ query: { pageSize = groupsOfPageDefault, pageToken, ...filter } }, { id }) => {
      let counts = {};
      let next: GroupPosition | undefined;
      const { results, pagination } = await readPage({ pageSize, pageToken }, byGroup, async (after, limit) => {
        const list = await context.store.installations.listGroups(id, filter, { after, limit });
        ({ counts, next } = list);
        return list.groups;
      });
      return {
        results: results.map(({ group }) => group),
        pagination:
          pagination.done && next !== undefined ? paginationOf([{ position: next }], true, byGroup) : pagination,
        counts,
      };
    },
  });
}
