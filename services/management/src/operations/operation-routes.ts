import { ConflictError } from '@sluice/errors';
import { filterText, json, jsonList, offByDefault, queryOf, routesUnder, type Router } from '@sluice/http';
import type { EventPosition } from '@sluice/store';
import {
  laneListReplySchema,
  limits,
  logSchema,
  operationExplanationSchema,
  operationListReplySchema,
  operationProgressSchema,
  operationRecordListReplySchema,
  operationSchema,
  pageProperties,
  reachOf,
  recordOutcomes,
} from '@sluice/types';
import type { Caller, Operation, PageQuery } from '@sluice/types';
import type { ManagementContext } from '../context';
import { routesOfInstallation } from '../installations/get-installation';
import { byIndex, byPosition, linkWhenMore, listBytesMax, nextLink, paginationOf } from '../pages';
import { positionOf, readPage } from '../pages';
import { getProjectId, projectPath, routesOfProject } from '../projects/get-project';
import { found, notFound } from '../refusals';
import { identifyRecords } from './identify-records';
import { laneOrders, listLanes } from './list-lanes';
import { presentLog } from './present-log';
import { replayOperation } from './replay-operation';
import { searchOperations, searchProperties } from './search-operations';

const readers = ['frontend', 'read', 'write', 'token'] as const;

/** Lines of a page without a `pageSize`: more than an operation has, so that its bytes end it. */
const logEventsMax = 10_000;

const waitSeconds = {
  type: 'integer',
  minimum: limits.waitSecondsMin,
  maximum: limits.waitSecondsMax,
  description: 'Answer when the operation has ended, or after this many seconds.',
} as const;

const recordQuery = queryOf({
  ref: { ...filterText, description: 'Only the record that was sent with this Sluice-Record-Ref.' },
  status: { type: 'string', enum: recordOutcomes, description: 'Only records of this status: failed, for example.' },
  ...pageProperties,
});

/** Routes under an operation's path: handlers get the operation. One of another project, and for a token of another group, is 404. */
function routesOfOperation(router: Router, context: ManagementContext) {
  return routesUnder(router, `${projectPath}/operations/:operationId`, {
    tags: ['Operations'],
    scopes: readers,
    find: async ({ caller, params: { projectIdOrName, operationId } }) =>
      await getOperation(context, caller, await getProjectId(context, caller, projectIdOrName), operationId),
  });
}

async function getOperation(
  { store, readOperation }: ManagementContext,
  caller: Caller,
  projectId: string,
  operationId: string,
): Promise<Operation> {
  const { withinGroupRef } = reachOf(caller);
  const operation =
    withinGroupRef === undefined
      ? await readOperation({ projectId, operationId })
      : await store.operations.find(projectId, operationId, withinGroupRef);
  return found(operation, 'operation.not-found');
}

export function operationRoutes(router: Router, context: ManagementContext): void {
  const ofOperation = routesOfOperation(router, context);
  const { operations } = context.store;
  ofOperation.get('', 'getOperation', {
    summary: 'Get an operation',
    description: 'With waitSeconds the reply waits for its end.',
    replies: { 200: json(operationSchema) },
    query: queryOf({ waitSeconds }),
    answer: async ({ caller, query, signal }, operation) => {
      const { projectId, id: operationId, status } = operation;
      if (query.waitSeconds === undefined || status !== 'in_progress') return operation;
      await context.watch.wait({ projectId, operationId }, query.waitSeconds * 1_000, signal);
      return await getOperation(context, caller, projectId, operationId);
    },
  });
  ofOperation.get('/records', 'listOperationRecords', {
    summary: 'List the outcomes of an operation',
    replies: { 200: json(operationRecordListReplySchema) },
    query: recordQuery,
    replyBytesMax: listBytesMax,
    answer: ({ query: { ref, status, ...page } }, operation) =>
      readPage(page, byIndex, async (afterIndex, limit) => {
        const filter = { ref, status, limit, afterIndex };
        const records = await operations.listRecords(operation.projectId, operation.id, filter);
        return await identifyRecords(context, operation, records);
      }),
  });
  ofOperation.get('/logs', 'listOperationLogs', {
    summary: 'Read the log of an operation',
    description:
      "Oldest first; always in pages, which end at 1 MB. It holds no values of records: a provider's message about a record is part of the record's outcome.",
    replies: { 200: jsonList(logSchema, linkWhenMore) },
    query: queryOf(pageProperties),
    replyBytesMax: listBytesMax,
    handle: async ({ query: { pageSize = logEventsMax, pageToken }, url }, { projectId, id }) => {
      const list = async (after: EventPosition | undefined, limit: number) => {
        const events = await operations.readHistory(projectId, id, { limit, after });
        return events.map((event) => ({ log: presentLog(id, event), position: event.position }));
      };
      const { results, pagination } = await readPage({ pageSize, pageToken }, byPosition, list);
      const next = pagination.nextPageToken;
      return { body: results.map(({ log }) => log), headers: next === undefined ? undefined : nextLink(url, next) };
    },
  });
  ofOperation.get('/progress', 'getOperationProgress', {
    summary: 'See how far an operation is',
    description: 'Records by outcome and calls by state; of an auto-batch how full it is and when it is sealed.',
    replies: { 200: json(operationProgressSchema) },
    answer: async (_request, { projectId, id }) => {
      const [progress, standing] = await Promise.all([
        operations.readProgress(projectId, id),
        operations.readWaitReason(projectId, id),
      ]);
      return { ...found(progress, 'operation.not-found'), ...standing };
    },
  });
  ofOperation.get('/explanation', 'explainOperation', {
    summary: 'Explain an operation',
    description:
      "What happened to each record and why: its plan without values, its call, every attempt with the provider's answer, its outcome. The records of a large operation come in pages of 1 MB.",
    replies: { 200: json(operationExplanationSchema) },
    query: queryOf(pageProperties),
    replyBytesMax: listBytesMax,
    answer: ({ query }, operation) => explainOperation(context, operation, query),
  });
}

async function explainOperation(
  context: ManagementContext,
  operation: Operation,
  { pageSize: size = limits.pageSizeDefault, pageToken }: PageQuery,
) {
  const { operations } = context.store;
  const { projectId, id } = operation;
  const explained = await operations.explain(projectId, id, { size, afterIndex: positionOf(pageToken, byIndex) });
  const { hasMore, ...course } = found(explained, 'operation.not-found');
  const { held } = (await operations.readWaitReason(projectId, id)) ?? {};
  const records = await identifyRecords(context, operation, course.records);
  return { operation, ...course, held, records, pagination: paginationOf(records, hasMore, byIndex) };
}

/** `GET I/installations/{installationId}/operations` and `GET P/operations`: newest first, always paged. */
export function operationListRoutes(router: Router, context: ManagementContext): void {
  routesOfInstallation(router, context, 'Operations').get('/operations', 'listOperations', {
    summary: 'List the operations of an installation',
    replies: { 200: json(operationListReplySchema) },
    scopes: readers,
    query: queryOf(pageProperties),
    answer: ({ caller, query }, { projectId, id: installationId }) =>
      searchOperations(context, projectId, caller, { ...query, installationId }),
  });
  routesOfProject(router, context, 'Operations').get('/operations', 'listOperationsForProject', {
    summary: 'Find operations of a project',
    description:
      'The filters are joined by AND. groupRef and groupRefPrefix find operations of installations that exist now. A record is searched for in one installation, in up to 31 days from since on. Where no index helps (hasFailures, problemCode, problemField, problemText, groupRefPrefix, search, recordRef, recordId), and with order=failures-first, a page may be short or empty while nextPageToken leads further back.',
    replies: { 200: json(operationListReplySchema) },
    scopes: readers,
    query: queryOf({ ...searchProperties, ...pageProperties }),
    answer: ({ caller, query }, { id }) => searchOperations(context, id, caller, query),
  });
}

/** `POST P/operations/{operationId}:cancel` and `:replay`. Neither reads a body. */
export function operationChangeRoutes(router: Router, context: ManagementContext): void {
  const { logger, store } = context;
  const ofOperation = routesOfOperation(router, context);
  ofOperation.post('\\:cancel', 'cancelOperation', {
    summary: 'Cancel an operation',
    description:
      'Records that have not been sent end as failed, with the class cancelled. Calls that are being sent finish. May be repeated.',
    replies: { 202: json(operationSchema) },
    problems: ['operation.ended', 'operation.synchronous'],
    scopes: ['frontend', 'write', 'token'],
    // Only the wish is written here: the batcher seals an open batch, executors end what is not being sent. An operation that was cancelled
    // answers as it stands, also after its end.
    answer: async ({ caller }, { projectId, id: operationId }) => {
      const request = await store.operations.requestCancel(projectId, operationId);
      if (request === 'missing') throw notFound('operation.not-found');
      if (request === 'synchronous') {
        const detail = 'operationId: a synchronous write has left by the time its operation can be named.';
        const remedy = 'Read the operation: its write has ended, or ends with the request that made it.';
        throw new ConflictError({ code: 'operation.synchronous', detail, remedy });
      }
      if (request === 'ended') {
        const detail = 'operationId: the operation ended before a cancel was asked for.';
        throw new ConflictError({ code: 'operation.ended', detail });
      }
      logger.info({ projectId, operationId, keyId: caller.keyId }, 'operation.cancel-requested');
      return await getOperation(context, caller, projectId, operationId);
    },
  });
  ofOperation.post('\\:replay', 'replayOperation', {
    summary: 'Write the failed records of an operation again',
    description:
      'Answers the operation that writes them. A record is replayed once: a repeated request answers the same operation.',
    replies: { 202: json(operationSchema) },
    problems: [
      'operation.in-progress',
      'operation.synchronous',
      'operation.nothing-to-replay',
      'operation.not-replayable',
      'operation.plan-deleted',
      'operation.quarantined',
    ],
    scopes: ['frontend', 'write', 'token'],
    query: queryOf({ force: offByDefault }),
    answer: async ({ caller, query: { force = false }, traceparent }, operation) => {
      const replayedBy = await replayOperation(context, operation, { caller, force, traceparent });
      return await getOperation(context, caller, operation.projectId, replayedBy);
    },
  });
}

/** `GET P/lanes`: always paged. Not for bearer tokens: one account may serve several groups, and a lane names them. */
export function laneRoutes(router: Router, context: ManagementContext): void {
  routesOfProject(router, context, 'Operations').get('/lanes', 'listLanes', {
    summary: 'List the lanes of a project',
    description:
      "A lane is the queue of one provider account: what waits in it, what is left of the provider's quota, and until when a refusal blocks it.",
    replies: { 200: json(laneListReplySchema) },
    scopes: ['frontend', 'read'],
    query: queryOf({
      waiting: { ...offByDefault, description: 'Only lanes in which calls wait to be sent or to be looked up.' },
      order: {
        type: 'string',
        enum: laneOrders,
        default: 'oldest-first',
        description:
          'sick-first: first a page of lanes that are blocked, held, failing or have calls that wait, the worst first.',
      },
      search: {
        ...filterText,
        maxLength: limits.nameCharactersMax,
        description:
          'Only lanes of groups whose ref or name begins so, or of the account that the provider names so; at most 200.',
      },
      ...pageProperties,
    }),
    answer: ({ query }, { id }) => listLanes(context, id, query),
  });
}
