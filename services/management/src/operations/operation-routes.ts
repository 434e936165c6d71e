import { json, jsonList, route, type Router } from '@sluice/http';
import type { EventPosition } from '@sluice/store';
import {
  limits,
  logSchema,
  operationRecordListReplySchema,
  operationSchema,
  pageProperties,
  type PageQuery,
  recordOutcomes,
  type RecordOutcome,
} from '@sluice/types';
import type { ManagementContext } from '../context';
import { getOperation } from './get-operation';
import { getProjectId } from '../projects/get-project';
import { byIndex, byPosition, readPage, type PagedQuery } from '../operation-pages';
import { nextLink } from '../paged-list';
import { presentLog } from './present-log';
import type { OperationWatch } from './watch-operations';
import { linkWhenMore, listBytesMax, pageQuery, projectPath } from '../paths';
import { projectRoute } from '../projects/project-route';

interface OperationParts {
  readonly params: { projectIdOrName: string; operationId: string };
}

interface OperationQuery extends OperationParts {
  readonly query: { waitSeconds?: number };
}

const operationQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    waitSeconds: {
      type: 'integer',
      minimum: limits.waitSecondsMin,
      maximum: limits.waitSecondsMax,
      description: 'Answer when the operation has ended, or after this many seconds.',
    },
  },
} as const;

interface RecordsParts extends OperationParts {
  readonly query: PagedQuery & { readonly ref?: string; readonly status?: RecordOutcome };
}

const recordsQuery = {
  type: 'object',
  additionalProperties: false,
  properties: {
    ref: { type: 'string', minLength: 1, description: 'Only the record that was sent with this Sluice-Record-Ref.' },
    status: { type: 'string', enum: recordOutcomes, description: 'Only records of this status: failed, for example.' },
    ...pageProperties,
  },
} as const;

interface LogParts extends OperationParts {
  readonly query: PageQuery;
}

/** Lines of a page without a `pageSize`: more than an operation has, so that its bytes end it. */
const logEventsMax = 10_000;

/** `GET P/operations/{operationId}`, and below it `/records` and `/logs`. */
export function operationRoutes(router: Router, context: ManagementContext, watch: OperationWatch): void {
  router.get(
    `${projectPath}/operations/:operationId`,
    route<OperationQuery>({
      operationId: 'getOperation',
      summary: 'Get an operation',
      description: 'With waitSeconds the reply waits for its end.',
      tags: ['Operations'],
      replies: { 200: json(operationSchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: operationQuery,
      handle: async ({ caller, params, query, signal }) => {
        const projectId = await getProjectId(context, caller, params.projectIdOrName);
        const operation = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const { waitSeconds } = query;
        if (waitSeconds === undefined || operation.status !== 'in_progress') return { body: operation };
        await watch.wait({ projectId, operationId: operation.id }, waitSeconds * 1_000, signal);
        return { body: await getOperation(context, caller, { projectId, operationId: operation.id }) };
      },
    }),
  );
  router.get(
    `${projectPath}/operations/:operationId/records`,
    projectRoute<RecordsParts>(context, {
      operationId: 'listOperationRecords',
      summary: 'List the outcomes of an operation',
      tags: ['Operations'],
      replies: { 200: json(operationRecordListReplySchema) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: recordsQuery,
      replyBytesMax: limits.pageBytesMax,
      handle: async ({ caller, params, query }, { id: projectId }) => {
        const { id } = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const { ref, status } = query;
        const filter = { ...(ref !== undefined && { ref }), ...(status !== undefined && { status }) };
        const list = (afterIndex: number | undefined, limit: number) =>
          context.store.operations.listRecords(projectId, id, { ...filter, limit, afterIndex: afterIndex ?? -1 });
        return { body: await readPage(query, byIndex, list) };
      },
    }),
  );
  router.get(
    `${projectPath}/operations/:operationId/logs`,
    projectRoute<LogParts>(context, {
      operationId: 'listOperationLogs',
      summary: 'Read the log of an operation',
      description:
        "Oldest first; always in pages, which end at 1 MB. No record's values are in it: what a provider said of a record stands with its outcome.",
      tags: ['Operations'],
      replies: { 200: jsonList(logSchema, linkWhenMore) },
      scopes: ['frontend', 'read', 'write', 'token'],
      query: pageQuery,
      replyBytesMax: listBytesMax,
      handle: async ({ caller, params, query, url }, { id: projectId }) => {
        const { id } = await getOperation(context, caller, { projectId, operationId: params.operationId });
        const { pageSize = logEventsMax } = query;
        const list = async (after: EventPosition | undefined, limit: number) => {
          const events = await context.store.operations.readHistory(projectId, id, { limit, ...(after && { after }) });
          return events.map((event) => ({ log: presentLog(id, event), position: event.position }));
        };
        const { results, pagination } = await readPage({ ...query, pageSize }, byPosition, list);
        const next = pagination.nextPageToken;
        return { body: results.map(({ log }) => log), ...(next !== undefined && { headers: nextLink(url, next) }) };
      },
    }),
  );
}
